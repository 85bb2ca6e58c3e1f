# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
"""`rqspin held` shows a lock that is held; `rqspin stat` counts exactly what failed."""

import json
import signal
import subprocess
import time

import pytest
from conftest import (
    BUILD,
    LIMIT,
    RQSPIN,
    kernel_has_tracepoint,
    needs_three_cpus,
    needs_two_cpus,
    rqspin,
    run_sample,
    skip_without_held_table,
    stat_while,
    validator,
)

HOLDER = BUILD / "selftests/kernel/progs/timeout.bpf.o"


@pytest.fixture
def owner_on_cpu_1():
    """Keeps lock_a round after round: one round may be shorter than `held` takes."""
    skip_without_held_table()
    cmd = [RQSPIN, "run", HOLDER, "--roles", "hold", "--cpus", "1", "--duration", "60"]
    proc = subprocess.Popen(cmd, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    yield proc
    proc.send_signal(signal.SIGINT)
    proc.communicate(timeout=LIMIT)


def looks(*args):
    res = rqspin("held", *args)
    assert res.returncode == 0, res.stderr
    return res.stdout


def seen_on_cpu_1(owner):
    deadline = time.monotonic() + LIMIT
    held_schema = validator("held.schema.json")
    cpus = []
    while not cpus and owner.poll() is None and time.monotonic() < deadline:
        look = json.loads(looks("--json"))
        held_schema.validate(look)
        cpus = [c for c in look["cpus"] if c["cpu"] == 1]
    assert cpus, "the lock was never seen"
    return cpus


@needs_two_cpus
def test_held_shows_the_owner(nothing_left, owner_on_cpu_1):
    cpus = seen_on_cpu_1(owner_on_cpu_1)
    assert cpus[0]["nr"] == 1
    assert [entry["state"] for entry in cpus[0]["locks"]] == ["holds"]
    assert cpus[0]["locks"][0]["lock"]["name"] == "lock_a"


def entry_of(look, cpu):
    entries = [e for c in look["cpus"] if c["cpu"] == cpu for e in c["locks"]]
    return entries[-1] if entries and entries[-1]["lock"]["name"] == "lock_a" else None


@needs_three_cpus
def test_held_tells_owner_and_waiter(nothing_left):
    """Both CPUs have the same lock as their newest; what they do tells who waits."""
    skip_without_held_table()
    cmd = [RQSPIN, "run", HOLDER, "--roles", "hold,want", "--cpus", "1,2", "--duration", "60"]
    proc = subprocess.Popen(cmd, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    deadline = time.monotonic() + LIMIT
    owner = waiter = None
    try:
        # A round may end within a look.
        while not (owner and waiter and waiter["state"] == "waits"):
            assert proc.poll() is None and time.monotonic() < deadline, (owner, waiter)
            look = json.loads(looks("--json"))
            owner, waiter = entry_of(look, 1), entry_of(look, 2)
            assert not (waiter and waiter["state"] == "holds")
    finally:
        proc.send_signal(signal.SIGINT)
        proc.communicate(timeout=LIMIT)
    assert (owner["state"], owner["owner_cpu"], waiter["owner_cpu"]) == ("holds", None, 1)
    tasks = {(c["cpu"], c["pid"], c["comm"]) for c in look["cpus"]}
    assert tasks == {(1, proc.pid, "rqspin"), (2, proc.pid, "rqspin")}


def test_nothing_held_is_a_sentence():
    skip_without_held_table()
    assert "no CPU holds a resilient lock, or waits for one" in looks() or "cpu " in looks()


@needs_two_cpus
def test_held_shows_nothing_after_release(owner_on_cpu_1):
    seen_on_cpu_1(owner_on_cpu_1)
    owner_on_cpu_1.send_signal(signal.SIGINT)
    owner_on_cpu_1.wait(timeout=LIMIT)
    names = [
        entry["lock"]["name"]
        for cpu in json.loads(looks("--json"))["cpus"]
        for entry in cpu["locks"]
    ]
    assert "lock_a" not in names


@pytest.mark.parametrize("args", [[], ["--json"]], ids=["text", "json"])
def test_held_says_why_there_is_no_list(args):
    if not kernel_has_tracepoint():
        pytest.skip("the kernel's lock keeps a table of held locks")
    res = rqspin("held", *args)
    assert (res.returncode, res.stdout) == (3, "")
    assert res.stderr.count("\n") == 1
    assert "keeps no table" in res.stderr and "'rqspin trace'" in res.stderr


def stat_of(body, *args):
    """What `rqspin stat` has counted for the programs that the body ran."""
    rows = stat_while(body, *args)["counters"]
    return {(c["prog"], c["kind"], c["lock"]["name"]): c["count"] for c in rows}


def test_stat_counts_exactly(nothing_left):
    def body(_stat):
        run_sample("aa", "--count", 97)
        run_sample("nested", "--count", 100)

    assert stat_of(body) == {("aa", "AA", "slots[0].lock"): 97}


def test_stat_filters():
    assert stat_of(lambda _stat: run_sample("aa", "--count", 7), "--kind", "timeout") == {}


def test_stat_says_that_nothing_matched():
    said = []
    stat_while(lambda _stat: run_sample("aa", "--count", 7), "--map", "foo", said=said)
    assert "no failure matched --map foo; 7 others were seen" in said
    stat_while(lambda _stat: run_sample("aa", "--count", 7), "--map", "slots", said=said)
    assert not any("no failure matched" in line for line in said)


def test_stat_prints_one_table_per_interval():
    res = rqspin("stat", "0.2", "3", "--json")
    assert res.returncode == 0, res.stderr
    tables = [json.loads(line) for line in res.stdout.splitlines()]
    assert [t["schema"] for t in tables] == ["rqspin-stat/1"] * 3


@pytest.mark.parametrize("by", ["name", "prog", "lock", "line"])
def test_stat_by_sums_reloaded_objects(nothing_left, by):
    """The same sample twice: other ids and addresses, but the same names and line."""

    def body(_stat):
        run_sample("aa", "--count", 7)
        run_sample("aa", "--count", 5)

    rows = stat_while(body, "--by", by)["counters"]
    assert sorted(r["count"] for r in rows) == ([5, 7] if by == "prog" else [12])
    for r in rows:
        assert r["kind"] == "AA"
        assert (r["prog"] == "aa") == (by in ("name", "prog"))
        assert (r["prog_id"] is not None) == (by == "prog")
        assert bool(r["lock"] and r["lock"]["name"] == "slots[0].lock") == (by == "lock")
        assert bool(r["at"] and r["at"].startswith("aa.bpf.c:")) == (by == "line")


def test_stat_by_text(nothing_left):
    res = rqspin("stat", "--by", "line", "--duration", "300ms", "--lock", "no such lock")
    assert "no failed acquisition was seen" in res.stdout
    assert res.returncode == 0 and "  LINE" in res.stdout.splitlines()[0], res
    res = rqspin("stat", "--by", "colour")
    assert res.returncode == 2 and "'colour' is none of name, prog, lock, line" in res.stderr


@pytest.mark.parametrize("args, tables", [((), 1), (("0.2",), 3), (("5",), 1)])
def test_stat_duration(args, tables):
    """It ends the whole, also within an interval."""
    start = time.monotonic()
    res = rqspin("stat", "--json", "--duration", "0.6", *args)
    assert res.returncode == 0, res.stderr
    assert time.monotonic() - start >= 0.6
    assert len(res.stdout.splitlines()) in (tables, tables + 1 if args == ("0.2",) else tables)


def test_held_says_what_it_cannot_tell():
    assert "shown as 'holds or waits for'" in " ".join(rqspin("held", "--help").stdout.split())
