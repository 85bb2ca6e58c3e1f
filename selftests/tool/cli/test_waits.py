# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
"""`rqspin stat --waits` counts waits for resilient locks exactly, and says what it cannot see."""

import json
import re
import signal
import subprocess

import pytest
from conftest import (
    BUILD,
    LIMIT,
    RQSPIN,
    doctor_check,
    kernel_has_tracepoint,
    needs_four_cpus,
    needs_locks,
    needs_own_wait,
    needs_two_cpus,
    rqspin,
    run_sample,
    validator,
)

PAIR = BUILD / "selftests/kernel/progs/queue_pair.bpf.o"
QUEUE = BUILD / "selftests/kernel/progs/queue_wait.bpf.o"


def waits_while(body, *args):
    """Standard output of `rqspin stat --waits` around the body."""
    cmd = [RQSPIN, "stat", "--waits", *args]
    proc = subprocess.Popen(cmd, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    try:
        # There is one line, and nothing is missed from then on.
        assert any("counting waits" in line for line in proc.stderr), proc.stderr.read()
        body()
        proc.send_signal(signal.SIGINT)
        out, talk = proc.communicate(timeout=LIMIT)
    finally:
        proc.kill()
    assert proc.returncode == 0, talk
    return out


def table_while(body, *args):
    table = json.loads(waits_while(body, "--json", *args))
    validator("waits.schema.json").validate(table)
    for row in table["waits"]:
        assert sum(b["count"] for b in row["histogram"]) == row["count"]
        assert row["max_ns"] <= row["total_ns"] <= row["max_ns"] * row["count"]
        assert row["histogram"][-1]["from_ns"] <= row["max_ns"]
    return table


def counted(nr, table, wanted):
    """All of them. On a busy machine some may be dropped, and are told."""
    return wanted - table["dropped"] <= nr <= wanted


@needs_locks
def test_every_slow_path_of_the_patched_kernel(nothing_left):
    """Its lock tells of each; a failure at once is one as well."""
    if not kernel_has_tracepoint():
        pytest.skip("the kernel does not tell of every slow path")
    table = table_while(lambda: run_sample("aa", "--count", 97))
    assert table["not_seen"] is None
    (row,) = [r for r in table["waits"] if r["lock"] == "slots[0].lock"]
    assert counted(row["count"], table, 97) and row["failed"] == row["count"]
    assert row["stack"].split(";")[-1].startswith("aa:") and "aa.bpf.c:" in row["caller"]


def pair(rounds, **kw):
    roles = "pair_own,pair_wait"
    res = rqspin("run", PAIR, "--roles", roles, "--count", rounds, "--json", **kw)
    roles = json.loads(res.stdout)["roles"]
    returned = {r["program"]: {x["value"]: x["times"] for x in r["returned"]} for r in roles}
    assert returned == {"pair_own": {-35: rounds}, "pair_wait": {0: rounds}}, res.stdout


@needs_locks
@needs_two_cpus
@needs_own_wait
def test_a_waiter_in_the_queue(nothing_left):
    """The owner comes back into the queue and fails; who waits beside the lock gets it."""
    if doctor_check("queue")["detail"].split(":")[0] != "queue":
        pytest.skip("waiters do not queue here")
    table = table_while(lambda: pair(7))
    rows = {r["stack"].split(";")[-1].split(":")[0]: r for r in table["waits"]}
    rows = {k: v for k, v in rows.items() if v["lock"] == "pairs[0].lock"}
    assert counted(rows["pair_own"]["count"], table, 7)
    assert rows["pair_own"]["failed"] == rows["pair_own"]["count"]
    assert "queue_pair.bpf.c:" in rows["pair_own"]["caller"]
    if kernel_has_tracepoint():
        assert counted(rows["pair_wait"]["count"], table, 7) and rows["pair_wait"]["failed"] == 0
    else:
        assert "pair_wait" not in rows and "beside the queue" in table["not_seen"]


@needs_locks
@needs_two_cpus
@needs_own_wait
def test_folded_stacks(nothing_left):
    if doctor_check("queue")["detail"].split(":")[0] != "queue":
        pytest.skip("waiters do not queue here")
    lines = waits_while(lambda: pair(3), "--folded").splitlines()
    ours = [line for line in lines if ";pairs[0].lock " in line]
    assert ours and all(re.search(r";pair_(own|wait):\d+;pairs\[0\]\.lock \d+$", x) for x in ours)


@needs_locks
@needs_two_cpus
@needs_own_wait
def test_programs_that_come_and_go(nothing_left):
    """Each has its name and line, also if the next one is in its memory by now."""
    if doctor_check("queue")["detail"].split(":")[0] != "queue":
        pytest.skip("waiters do not queue here")
    table = table_while(lambda: [pair(1) for _ in range(12)])
    ours = [r for r in table["waits"] if r["stack"].split(";")[-2:-1] == ["bpf_test_run"]]
    own = [r for r in ours if r["stack"].split(";")[-1].startswith("pair_own:")]
    assert counted(sum(r["count"] for r in own), table, 12), table
    assert {r["lock"] for r in ours} == {"pairs[0].lock"}
    assert len({r["stack"] for r in own}) == 1, own
    assert own == ours or kernel_has_tracepoint()


def queue(rounds):
    roles = "queue_own,queue_0,queue_1,queue_2"
    return rqspin("run", QUEUE, "--roles", roles, "--count", rounds, "--json")


@needs_locks
@needs_four_cpus
def test_waiters_in_the_queue(nothing_left):
    """Three wait for one lock: the first beside the queue where the kernel has that place."""
    if doctor_check("queue")["detail"].split(":")[0] != "queue":
        pytest.skip("waiters do not queue here")
    seen = 3 if kernel_has_tracepoint() else 2
    table = table_while(lambda: queue(2))
    rows = [r for r in table["waits"] if r["lock"] == "lock_x"]
    assert counted(sum(r["count"] for r in rows), table, 2 * seen), table
    assert all(r["failed"] == r["count"] and r["max_ns"] > 100_000_000 for r in rows)
    assert {"queue_wait.bpf.c" in r["caller"] for r in rows} == {True}
    assert (table["not_seen"] is None) == (seen == 3)


@needs_locks
def test_text_says_what_is_missing(nothing_left):
    res = rqspin("stat", "--waits", "--duration", "200ms")
    assert res.returncode == 0, res.stderr
    lines = res.stdout.splitlines()
    assert lines[0].split()[:4] == ["WAITS", "FAILED", "AVERAGE", "LONGEST"]
    assert any(line.startswith("dropped: ") for line in lines)
    assert any(line.startswith("not seen: ") for line in lines) != kernel_has_tracepoint()
    strict = rqspin("stat", "--waits", "--duration", "200ms", "--strict")
    assert strict.returncode == (0 if kernel_has_tracepoint() else 4)


@pytest.mark.parametrize(
    "args, message",
    [
        (["--folded"], "--folded is for --waits"),
        (["--waits", "--folded", "--json"], "give one of --folded and --json"),
        (["--waits", "--by", "lock"], "takes neither INTERVAL nor --by"),
        (["--waits", "--prog", "aa"], "takes neither INTERVAL nor --by"),
        (["--waits", "--buffer", "1M"], "--source, --buffer or filters"),
        (["--waits", "--source", "ring"], "--source, --buffer or filters"),
        (["--waits", "1"], "takes neither INTERVAL nor --by"),
    ],
)
def test_wrong_options(args, message):
    res = rqspin("stat", *args)
    assert res.returncode == 2 and message in res.stderr, res
