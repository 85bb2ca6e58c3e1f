# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
"""Bursts: nothing is lost up to the size of the buffer, and beyond it the sums are exact.

The tracer gets no CPU while the failures happen, so how fast it reads does not matter.
"""

import contextlib
import json
import shutil
import signal
import subprocess
from collections import Counter

import pytest
from conftest import BPFTOOL, BUILD, LIMIT, RQSPIN, doctor, rqspin, run_sample, stopped

PLAIN = BUILD / "selftests/progs/plain_deadlock.bpf.o"
SAMPLE = BUILD / "bpf/progs/aa.bpf.o"
PIN = "/sys/fs/bpf/rqspin_test_bursts"
BUFFER = 16384  # failures per CPU, by default
RING = 4096  # failures of one object that reports its own, by default


@pytest.fixture(scope="module")
def sources():
    return {s["name"] for s in doctor()["trace_sources"] if s["usable"]}


@contextlib.contextmanager
def pinned(obj):
    load = [BPFTOOL, "prog", "loadall", obj, PIN]
    subprocess.run(load, check=True, capture_output=True, timeout=LIMIT)
    try:
        yield
    finally:
        shutil.rmtree(PIN)


def burst(prog, tmp_path, count):
    """All on one CPU, one after the other."""
    (tmp_path / "packet").write_bytes(bytes(64))
    run = ["taskset", "-c", "0", BPFTOOL, "prog", "run", "pinned", f"{PIN}/{prog}"]
    args = ["data_in", tmp_path / "packet", "repeat", str(count)]
    subprocess.run([*run, *args], check=True, capture_output=True, timeout=LIMIT)


def by_name_and_kind(events):
    return Counter((e["prog"]["name"], e["kind"]) for e in events)


@pytest.mark.parametrize("count", [997, 9973])
def test_burst_of_a_program_that_reports_nothing(tracer, sources, tmp_path, count):
    if not sources & {"tracepoint", "trampoline"}:
        pytest.skip("the kernel tells of no failures itself")
    with pinned(PLAIN), tracer() as t:
        with stopped(t):
            burst("plain_aa", tmp_path, count)
        t.stop()
    assert t.summary["lost"] == 0 and not t.summary["lost_unknown"]
    assert by_name_and_kind(t.events) == {("plain_aa", "AA"): count}


@pytest.mark.parametrize("count", [997, 9973])
def test_burst_of_a_program_that_reports_itself(tracer, sources, tmp_path, count):
    """Its ring may overflow where the kernel tells of the same failures."""
    whole = sources & {"tracepoint", "trampoline"}
    with pinned(SAMPLE), tracer("--prog", "aa") as t:
        with stopped(t):
            burst("aa", tmp_path, count)
        t.stop()
    kept = count if whole else min(count, RING)
    assert by_name_and_kind(t.events) == {("aa", "AA"): kept}
    assert t.summary["lost"] == count - kept and not t.summary["lost_unknown"]


def test_a_burst_may_have_the_size_of_the_buffer(tracer, sources, tmp_path):
    """512 bytes are the room of one failure."""
    if not sources & {"tracepoint", "trampoline"}:
        pytest.skip("the kernel tells of no failures itself")
    with pinned(PLAIN), tracer("--buffer", "512K") as t:
        with stopped(t):
            burst("plain_aa", tmp_path, 1024)
        t.stop()
    assert by_name_and_kind(t.events) == {("plain_aa", "AA"): 1024}
    assert t.summary["lost"] == 0


def test_a_burst_beyond_the_buffer_is_counted(tracer, sources, tmp_path):
    if not sources & {"tracepoint", "trampoline"}:
        pytest.skip("the kernel tells of no failures itself")
    with pinned(PLAIN), tracer() as t:
        with stopped(t):
            burst("plain_aa", tmp_path, 99991)
        t.stop()
    assert by_name_and_kind(t.events) == {("plain_aa", "AA"): BUFFER}
    assert t.summary["lost"] == 99991 - BUFFER and not t.summary["lost_unknown"]
    assert [(r["prog"], r["kind"], r["failures"], r["lost"]) for r in t.summary["totals"]] == [
        ("plain_aa", "AA", 99991, 99991 - BUFFER)
    ]


def test_both_sides_overflow_and_a_failure_is_lost_once(tracer, sources, tmp_path):
    """The program's own ring and the tracer's buffer have seen the same failures."""
    if not sources & {"tracepoint", "trampoline"}:
        pytest.skip("the kernel tells of no failures itself")
    with pinned(SAMPLE), tracer("--buffer", "1M") as t:
        with stopped(t):
            burst("aa", tmp_path, 9973)
        t.stop()
    shown = sum(by_name_and_kind(t.events).values())
    assert shown == RING and t.summary["lost"] == 9973 - RING
    assert {r["prog"] for r in t.summary["totals"]} == {"aa"}
    assert sum(r["failures"] for r in t.summary["totals"]) == 9973


def stat_of(args, body):
    """The one table of `rqspin stat` that got no CPU meanwhile, and its exit status."""
    cmd = [RQSPIN, "stat", "--json", *args]
    proc = subprocess.Popen(cmd, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    try:
        assert any("counting" in line for line in proc.stderr)
        with stopped(proc):
            body()
        proc.send_signal(signal.SIGINT)
        out, _ = proc.communicate(timeout=LIMIT)
    finally:
        proc.kill()
    return json.loads(out), proc.returncode


@pytest.mark.parametrize("count", [997, 99991])
def test_stat_is_exact_at_any_rate(sources, tmp_path, count):
    if not sources & {"tracepoint", "trampoline"}:
        pytest.skip("the kernel tells of no failures itself")
    with pinned(PLAIN):
        table, status = stat_of(["--strict"], lambda: burst("plain_aa", tmp_path, count))
    assert status == 0
    assert [(r["prog"], r["kind"], r["lock"]["name"], r["count"]) for r in table["counters"]] == [
        ("plain_aa", "AA", "plain_hash[key 7].lock", count)
    ]
    assert table["lost"] == 0 and not table["lost_unknown"]


def test_rate_shows_some_and_counts_all(tracer, tmp_path):
    with tracer("--rate", "10") as t:
        run_sample("aa", "--count", 499)
    assert t.summary["shown"] == len(t.events) < 499
    assert t.summary["shown"] + t.summary["skipped"] == t.summary["events"] == 499
    assert t.summary["lost"] == 0
    assert [(r["prog"], r["failures"]) for r in t.summary["totals"]] == [("aa", 499)]


@pytest.mark.parametrize("size", ["0", "63K", "2G", "8MB", "lots", ""])
def test_a_buffer_of_no_size_is_refused(size):
    res = rqspin("trace", "--buffer", size)
    assert res.returncode == 2
    assert "--buffer" in res.stderr and "from 64K to 1G" in res.stderr
