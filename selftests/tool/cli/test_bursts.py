# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
"""Bursts: nothing is lost up to the size of the buffer, and beyond it the sums are exact.

The tracer gets no CPU while the failures happen, so how fast it reads does not matter.
"""

from collections import Counter

import pytest
from bpfobj import pinned, run_pinned
from conftest import BUILD, doctor, rqspin, run_sample, stat_while, stopped

PLAIN = BUILD / "selftests/kernel/progs/plain_deadlock.bpf.o"
SAMPLE = BUILD / "bpf/progs/aa.bpf.o"
RINGS = {64: "ring_64", 4096: "ring", 16384: "ring_16384"}
BUFFER = 16384  # failures per CPU, by default
RING = 4096  # failures of one object that reports its own, by default


@pytest.fixture(scope="module")
def sources():
    return {s["name"] for s in doctor()["trace_sources"] if s["usable"]}


@pytest.fixture
def reports(sources):
    if not sources & {"tracepoint", "trampoline"}:
        pytest.skip("the kernel tells of no failures itself")


needs_reports = pytest.mark.usefixtures("reports")


def burst(prog, count):
    """All on one CPU, one after the other."""
    run_pinned(prog, count, on=("taskset", "-c", "0"))


def by_name_and_kind(events):
    return Counter((e["prog"]["name"], e["kind"]) for e in events)


@needs_reports
@pytest.mark.parametrize("count", [997, 9973])
def test_burst_of_a_program_that_reports_nothing(tracer, count):
    with pinned(PLAIN) as where, tracer() as t:
        with stopped(t):
            burst(where / "plain_aa", count)
        t.stop()
    assert t.summary["lost"] == 0 and not t.summary["lost_unknown"]
    assert by_name_and_kind(t.events) == {("plain_aa", "AA"): count}


@pytest.mark.parametrize("count", [997, 9973])
def test_burst_of_a_program_that_reports_itself(tracer, sources, count):
    """Its ring may overflow where the kernel tells of the same failures."""
    whole = sources & {"tracepoint", "trampoline"}
    with pinned(SAMPLE) as where, tracer("--prog", "aa") as t:
        with stopped(t):
            burst(where / "aa", count)
        t.stop()
    kept = count if whole else min(count, RING)
    assert by_name_and_kind(t.events) == {("aa", "AA"): kept}
    assert t.summary["lost"] == count - kept and not t.summary["lost_unknown"]


@needs_reports
def test_a_burst_may_have_the_size_of_the_buffer(tracer):
    """512 bytes are the room of one failure."""
    with pinned(PLAIN) as where, tracer("--buffer", "512K") as t:
        with stopped(t):
            burst(where / "plain_aa", 1024)
        t.stop()
    assert by_name_and_kind(t.events) == {("plain_aa", "AA"): 1024}
    assert t.summary["lost"] == 0


@needs_reports
def test_a_burst_beyond_the_buffer_is_counted(tracer):
    with pinned(PLAIN) as where, tracer() as t:
        with stopped(t):
            burst(where / "plain_aa", 99991)
        t.stop()
    assert by_name_and_kind(t.events) == {("plain_aa", "AA"): BUFFER}
    assert t.summary["lost"] == 99991 - BUFFER and not t.summary["lost_unknown"]
    assert [(r["prog"], r["kind"], r["failures"], r["lost"]) for r in t.summary["totals"]] == [
        ("plain_aa", "AA", 99991, 99991 - BUFFER)
    ]


@needs_reports
def test_both_sides_overflow_and_a_failure_is_lost_once(tracer):
    """The program's own ring and the tracer's buffer have seen the same failures."""
    with pinned(SAMPLE) as where, tracer("--buffer", "1M") as t:
        with stopped(t):
            burst(where / "aa", 9973)
        t.stop()
    shown = sum(by_name_and_kind(t.events).values())
    assert shown == RING and t.summary["lost"] == 9973 - RING
    assert {r["prog"] for r in t.summary["totals"]} == {"aa"}
    assert sum(r["failures"] for r in t.summary["totals"]) == 9973


def ring_object(slots):
    return BUILD / f"selftests/tool/rings/{RINGS[slots]}.bpf.o"


def sums(summary):
    """By name and kind; None for what is not known."""
    return {(r["prog"], r["kind"]): (r["failures"], r["lost"]) for r in summary["totals"]}


# Other programs of this machine may use maps whose locks fail unseen.
RING_ALONE = ("--source", "ring", "--strict", "--prog", "two_locks")


@pytest.mark.parametrize("slots", RINGS)
@pytest.mark.parametrize("count", [997, 9973, 99991])
def test_a_ring_of_any_size_counts_exactly(tracer, slots, count):
    """By the fallback lock: nothing but the program's own ring tells of it."""
    with pinned(ring_object(slots)) as where, tracer(*RING_ALONE) as t:
        with stopped(t):
            burst(where / "two_locks", count)
        t.stop()
    kept = min(count, slots)
    assert by_name_and_kind(t.events) == {("two_locks", "AA"): kept}
    assert t.summary["lost"] == count - kept and not t.summary["lost_unknown"]
    assert sums(t.summary) == {("two_locks", "AA"): (count, count - kept)}
    assert t.proc.returncode == (4 if count > kept else 0)


@needs_reports
@pytest.mark.parametrize(
    ("obj", "prog"),
    [("ring", "two_locks"), ("pair_of_one", "pair_of_one")],
    ids=["fallback", "pair"],
)
def test_what_the_kernel_is_not_asked_for_is_counted(tracer, obj, prog):
    """The sources that count every failure of the kernel's lock count none of these."""
    with (
        pinned(BUILD / f"selftests/tool/rings/{obj}.bpf.o") as where,
        tracer("--strict", "--prog", prog) as t,
    ):
        with stopped(t):
            burst(where / prog, 9973)
        t.stop()
    assert by_name_and_kind(t.events) == {(prog, "AA"): RING}
    assert t.summary["lost"] == 9973 - RING and not t.summary["lost_unknown"]
    assert sums(t.summary) == {(prog, "AA"): (9973, 9973 - RING)}
    assert t.proc.returncode == 4


@needs_reports
def test_pairs_of_one_lock_make_up_for_no_loss(tracer):
    """They fail without the kernel: none of the reports that it lost was of them."""
    obj = BUILD / "selftests/tool/rings/pair_of_one.bpf.o"
    with pinned(obj) as pair, pinned(PLAIN) as plain, tracer("--buffer", "64K") as t:
        with stopped(t):
            burst(pair / "pair_of_one", 499)
            burst(plain / "plain_aa", 997)
        t.stop()
    assert t.summary["lost"] == 997 - 128 and not t.summary["lost_unknown"]
    assert sums(t.summary) == {
        ("pair_of_one", "AA"): (499, 0),
        ("plain_aa", "AA"): (997, 997 - 128),
    }


def test_programs_of_one_ring_are_counted_apart(tracer):
    with pinned(ring_object(64)) as where, tracer("--source", "ring") as t:
        with stopped(t):
            burst(where / "one_lock", 997)
            burst(where / "two_locks", 9973)
        t.stop()
    assert by_name_and_kind(t.events) == {("two_locks", "AA"): 64}
    assert sums(t.summary) == {
        ("one_lock", "AA"): (997, 997),
        ("two_locks", "AA"): (9973, 9973 - 64),
    }


def test_nobody_knows_the_tasks_of_what_was_lost(tracer):
    """A group is of all tasks, so what it has lost is not said to be of the one asked for."""
    with pinned(ring_object(64)) as where, tracer("--source", "ring", "--comm", "nobody") as t:
        with stopped(t):
            burst(where / "one_lock", 997)
        t.stop()
    assert t.events == [] and t.summary["lost"] == 997 - 64
    assert sums(t.summary) == {(None, None): (997 - 64, 997 - 64)}


def test_what_failed_before_is_not_counted(tracer):
    with pinned(ring_object(64)) as where:
        burst(where / "one_lock", 997)
        with tracer("--source", "ring") as t:
            with stopped(t):
                burst(where / "one_lock", 499)
            t.stop()
    assert len(t.events) == 64
    assert sums(t.summary) == {("one_lock", "AA"): (499, 499 - 64)}


def test_more_locks_than_a_ring_can_tell_apart(tracer):
    """1024 locks, twice each, and 512 places: the others are one line, and the sum is exact."""
    with pinned(ring_object(64)) as where, tracer("--source", "ring") as t:
        with stopped(t):
            burst(where / "many_locks", 2048)
        t.stop()
    assert len(t.events) == 64 and t.summary["lost"] == 2048 - 64
    others = [r["failures"] for r in t.summary["totals"] if r["kind"] is None]
    named = [r["failures"] for r in t.summary["totals"] if r["kind"] is not None]
    assert len(others) == 1 and 1024 - 64 <= others[0] <= 2048 - 64
    assert sum(named) + others[0] == 2048


@needs_reports
@pytest.mark.parametrize("count", [997, 99991])
def test_stat_is_exact_at_any_rate(count):
    with pinned(PLAIN) as where:

        def body(stat):
            with stopped(stat):
                burst(where / "plain_aa", count)

        table = stat_while(body, "--strict", "--prog", "plain_aa")
    assert [(r["prog"], r["kind"], r["lock"]["name"], r["count"]) for r in table["counters"]] == [
        ("plain_aa", "AA", "plain_hash[key 7].lock", count)
    ]
    assert not table["lost_unknown"]


@pytest.mark.parametrize("slots", RINGS)
@pytest.mark.parametrize("count", [997, 99991])
def test_stat_of_a_ring_is_exact_at_any_rate(slots, count):
    with pinned(ring_object(slots)) as where:

        def body(stat):
            with stopped(stat):
                burst(where / "two_locks", count)

        table = stat_while(body, *RING_ALONE)
    assert table["lost"] == 0 and not table["lost_unknown"]
    third = (count + 2) // 3
    assert {(r["prog"], r["kind"], r["lock"]["name"]): r["count"] for r in table["counters"]} == {
        ("two_locks", "AA", "slots[1].lock"): third,
        ("two_locks", "AA", "slots[2].lock"): count - third,
    }


def test_rate_shows_some_and_counts_all(tracer):
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
