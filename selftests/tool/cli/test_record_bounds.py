# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
"""A million failures take no more memory of the flight recorder than none, and all are counted."""

import json
import os
import subprocess

import pytest
from bpfobj import fdinfo, pinned, run_pinned
from conftest import (
    BPFTOOL,
    BUILD,
    LIMIT,
    doctor,
    doctor_check,
    needs_locks,
    needs_own_wait,
    needs_two_cpus,
)
from test_waits import pair

pytestmark = pytest.mark.skipif(os.geteuid() != 0, reason="needs root")

MILLION = 1_000_000
KEEP = 16
RING = BUILD / "selftests/tool/rings/ring_64.bpf.o"
RING_SLOTS = 64
PLAIN = BUILD / "selftests/kernel/progs/plain_deadlock.bpf.o"


def told(pin, what):
    """A number that the kernel tells of what is pinned there."""
    (line,) = [x for x in fdinfo(pin).splitlines() if x.startswith(f"{what}:")]
    return int(line.split()[1])


def prog_memory(prog_id):
    show = [BPFTOOL, "-j", "prog", "show", "id", str(prog_id)]
    res = subprocess.run(show, check=True, capture_output=True, timeout=LIMIT)
    return json.loads(res.stdout)["bytes_memlock"]


def memory(recorder):
    """Of each map and each program that the recorder has pinned, as the kernel accounts for it."""
    taken = {}
    for pin in recorder.root.rglob("*"):
        if pin.is_dir():
            continue
        link = pin.name.startswith("link_")
        taken[pin] = prog_memory(told(pin, "prog_id")) if link else told(pin, "memlock")
    assert taken and all(taken.values()), taken
    return taken


def burst(prog):
    """A million runs by the repetitions of a few test runs, on one CPU."""
    for _ in range(10):
        run_pinned(prog, MILLION // 10, on=("taskset", "-c", "0"))


def test_a_million_in_the_ring_of_a_program(recorder):
    """A program that fails on itself, by the fallback lock: at once on every kernel."""
    with pinned(RING) as where:
        recorder.start("--source", "ring")
        before, status = memory(recorder), recorder.status()
        burst(where / "two_locks")
        assert memory(recorder) == before and recorder.status() == status
    events, summary = recorder.last("--prog", "two_locks")
    assert len(events) == RING_SLOTS
    assert summary["lost"] == MILLION - RING_SLOTS
    assert summary["lost_unknown"], "of programs that are loaded later it has not all"
    sums = {(r["prog"], r["kind"]): (r["failures"], r["lost"]) for r in summary["totals"]}
    assert sums == {("two_locks", "AA"): (MILLION, MILLION - RING_SLOTS)}


def watcher():
    """A source that sees each failure of the kernel's lock; which, differs between kernels."""
    usable = {s["name"] for s in doctor()["trace_sources"] if s["usable"]}
    for name in ("tracepoint", "trampoline"):
        if name in usable:
            return name
    pytest.skip("nobody may watch failures on this kernel: no fentry, no tracepoint")


@needs_locks
def test_a_million_of_the_kernels_lock(recorder):
    source = watcher()
    aa = doctor_check("aa_at_once")
    if not aa["available"]:
        pytest.skip(f"a million would take half an hour: {aa['detail']}")
    recorder.start("--source", source, "--keep", str(KEEP))
    before = memory(recorder)
    with pinned(PLAIN) as where:
        burst(where / "plain_aa")
    assert memory(recorder) == before
    (held,) = recorder.status()["sources"]
    assert (held["recorded"], held["kept"]) == (MILLION, KEEP)
    assert held["overwritten"] == MILLION - KEEP and held["missed"] == held["unsure"] == 0
    events, summary = recorder.last()
    assert len(events) == KEEP and {e["prog"]["name"] for e in events} == {"plain_aa"}
    assert summary["lost"] == MILLION - KEEP and not summary["lost_unknown"]


@needs_locks
@needs_two_cpus
@needs_own_wait
def test_the_recorders_own_ring(recorder):
    """A queue's waiter that fails, a hundred times."""
    if doctor_check("queue")["detail"].split(":")[0] != "queue":
        pytest.skip("waiters do not queue here")
    usable = {s["name"] for s in doctor()["trace_sources"] if s["usable"]}
    if "contention" not in usable:
        pytest.skip("the contention tracepoints or the table of held locks cannot be used")
    recorder.start("--source", "contention", "--keep", str(KEEP))
    before = memory(recorder)
    pair(100)
    assert memory(recorder) == before
    (held,) = recorder.status()["sources"]
    assert (held["recorded"], held["kept"], held["missed"]) == (100, KEEP, 0)
    assert held["overwritten"] == 100 - KEEP
    events, summary = recorder.last()
    assert len(events) == KEEP and summary["lost"] == 100 - KEEP
    assert summary["lost_unknown"], "of programs that are loaded later it has not all"
