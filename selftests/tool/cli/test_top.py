# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
"""`rqspin top --batch` counts exactly; its screen is tested in test_top_screen.py."""

import json
import signal
import subprocess

import pytest
from conftest import (
    BUILD,
    LIMIT,
    RQSPIN,
    doctor_check,
    kernel_has_tracepoint,
    needs_locks,
    needs_own_wait,
    needs_two_cpus,
    rqspin,
    run_sample,
    validator,
)


def batch_while(body, *args):
    """The last table of `rqspin top --batch --json` around the body."""
    cmd = [RQSPIN, "top", "--batch", "--json", "-i", "200ms", *args]
    proc = subprocess.Popen(cmd, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    try:
        assert any("counting" in line for line in proc.stderr)
        result = body()
        proc.send_signal(signal.SIGINT)
        out, talk = proc.communicate(timeout=LIMIT)
    finally:
        proc.kill()
    assert proc.returncode == 0, talk
    tables = [json.loads(line) for line in out.splitlines()]
    for table in tables:
        validator("top.schema.json").validate(table)
    return tables, result


@needs_locks
def test_batch_counts_exactly(nothing_left, schema):
    def body():
        run_sample("aa", "--count", 97)
        run_sample("nested", "--count", 100)
        run_sample("aa", "--count", 5)

    tables, _ = batch_while(body)
    last = tables[-1]
    assert last["failures"] == 102 and last["lost"] == 0 and last["unnamed"] == 0
    (row,) = last["rows"]
    assert (row["prog"], row["lock"], row["failures"]) == (None, "slots[0].lock", 102)
    assert row["kinds"]["AA"] == 102 and sum(row["kinds"].values()) == 102
    schema.validate(row["latest"])
    assert row["latest"]["kind"] == "AA" and row["latest"]["lock"]["name"] == row["lock"]
    counts = [t["failures"] for t in tables]
    assert counts == sorted(counts)


@needs_locks
@needs_two_cpus
@pytest.mark.parametrize("by", ["lock", "prog", "both"])
def test_batch_sums(by, nothing_left):
    def body():
        run_sample("aa", "--count", 31)
        return run_sample("abba", "--count", 7)

    tables, run = batch_while(body, "--by", by)
    failed = {r["program"]: r["failed"] for r in run["roles"] if r["failed"]}
    lock_of = {"aa": "slots[0].lock", "abba_0": "lock_b", "abba_1": "lock_a"}
    expected = {
        (None if by == "lock" else prog, None if by == "prog" else lock_of[prog]): nr
        for prog, nr in {"aa": 31, **failed}.items()
    }
    rows = tables[-1]["rows"]
    assert {(r["prog"], r["lock"]): r["failures"] for r in rows} == expected
    assert [r["failures"] for r in rows] == sorted((r["failures"] for r in rows), reverse=True)


@needs_locks
@needs_two_cpus
def test_batch_more_names_than_rows(nothing_left):
    """The first name is kept, what has no room for a name is counted all the same."""

    def body():
        run_sample("aa", "--count", 11)
        return run_sample("abba", "--count", 7)

    tables, run = batch_while(body, "--max-rows", "1")
    last = tables[-1]
    others = run["total"]["failed"]
    assert (last["failures"], last["unnamed"], last["rows_full"]) == (11 + others, others, True)
    assert {r["lock"]: r["failures"] for r in last["rows"]} == {"slots[0].lock": 11, None: others}


def test_batch_text():
    res = rqspin("top", "--batch", "-n", 2, "-i", "100ms")
    if res.returncode == 3:
        pytest.skip(res.stderr)
    assert res.returncode == 0, res.stderr
    lines = res.stdout.splitlines()
    assert [line.split()[0] for line in lines[1::2]] == ["FAILURES", "FAILURES"]
    assert all("0 failures, 0.0/s; lost: " in line for line in lines[::2])


@pytest.mark.parametrize(
    "args, message",
    [
        (["--json"], "--json is for --batch"),
        (["--sort", "colour"], "'colour' is none of failures, rate, wait, max, contended, name"),
        (["--color", "sometimes"], "'sometimes' is none of auto, always, never"),
        (["--by", "colour"], "'colour' is none of lock, prog, both"),
        (["-n", "0"], "'0' is not a positive number"),
        (["-i", "x"], "'x' is not a time"),
        (["--max-rows", "0"], "'0' is not a positive number"),
        (["now"], "takes no arguments, but got 'now'"),
    ],
)
def test_wrong_options(args, message):
    res = rqspin("top", *args)
    assert res.returncode == 2 and message in res.stderr and res.stdout == "", res


@needs_locks
@needs_two_cpus
@needs_own_wait
def test_waits(nothing_left):
    """Who comes back into the queue fails; on the patched kernel the one beside it counts, too."""
    if doctor_check("queue")["detail"].split(":")[0] != "queue":
        pytest.skip("waiters do not queue here")
    pair = BUILD / "selftests/kernel/progs/queue_pair.bpf.o"
    tables, _ = batch_while(
        lambda: rqspin("run", pair, "--roles", "pair_own,pair_wait", "--count", 7), "--waits"
    )
    last = tables[-1]
    (row,) = [r for r in last["rows"] if r["lock"] == "pairs[0].lock"]
    waits = 14 if kernel_has_tracepoint() else 7
    # On a busy machine some may be dropped, and are told.
    assert waits - last["waits_dropped"] <= row["contended"]["count"] <= waits
    assert row["failures"] == 7
    assert 0 < row["contended"]["max_ns"] <= row["contended"]["total_ns"]


def test_waits_in_the_table():
    res = rqspin("top", "--batch", "--waits", "-n", 1, "-i", "100ms", check=False)
    if res.returncode == 3:
        pytest.skip(res.stderr.strip().splitlines()[-1])
    assert "  WAITS   TOTAL  LOCK" in res.stdout
