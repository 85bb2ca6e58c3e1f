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
    needs_two_cpus,
    rqspin,
    run_sample,
    skip_without_held_table,
)

HOLDER = BUILD / "selftests/progs/timeout.bpf.o"


@pytest.fixture
def owner_on_cpu_1():
    """A program that keeps lock_a for some seconds, as nobody tells it to release."""
    skip_without_held_table()
    cmd = [RQSPIN, "run", HOLDER, "--roles", "hold", "--cpus", "1", "--count", "1"]
    proc = subprocess.Popen(cmd, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    yield proc
    proc.communicate(timeout=LIMIT)


def looks(*args):
    res = rqspin("held", *args)
    assert res.returncode == 0, res.stderr
    return res.stdout


@needs_two_cpus
def test_held_shows_the_owner(owner_on_cpu_1, nothing_left):
    deadline = time.monotonic() + LIMIT
    cpus = []
    while not cpus and owner_on_cpu_1.poll() is None and time.monotonic() < deadline:
        cpus = [c for c in json.loads(looks("--json"))["cpus"] if c["cpu"] == 1]
    assert cpus, "the lock was never seen"
    assert cpus[0]["nr"] == 1
    assert [entry["state"] for entry in cpus[0]["locks"]] == ["holds"]
    assert cpus[0]["locks"][0]["lock"]["name"] == "lock_a"


@needs_two_cpus
def test_held_shows_nothing_after_release(owner_on_cpu_1):
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
    """What `rqspin stat` has counted for the programs that @body ran."""
    cmd = [RQSPIN, "stat", "--json", *args]
    proc = subprocess.Popen(cmd, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    assert "counting" in proc.stderr.readline()  # from here on no failure can be missed
    body()
    proc.send_signal(signal.SIGINT)
    out, talk = proc.communicate(timeout=LIMIT)
    assert proc.returncode == 0, talk
    tables = [json.loads(line) for line in out.splitlines()]
    assert len(tables) == 1
    assert tables[0]["schema"] == "rqspin-stat/1" and tables[0]["lost"] == 0
    return {(c["prog"], c["kind"], c["lock"]["name"]): c["count"] for c in tables[0]["counters"]}


def test_stat_counts_exactly(nothing_left):
    def body():
        run_sample("aa", "--count", 97)
        run_sample("nested", "--count", 100)

    assert stat_of(body) == {("aa", "AA", "slots[0].lock"): 97}


def test_stat_filters():
    assert stat_of(lambda: run_sample("aa", "--count", 7), "--kind", "timeout") == {}


def test_stat_prints_one_table_per_interval():
    res = rqspin("stat", "0.2", "3", "--json")
    assert res.returncode == 0, res.stderr
    tables = [json.loads(line) for line in res.stdout.splitlines()]
    assert [t["schema"] for t in tables] == ["rqspin-stat/1"] * 3
