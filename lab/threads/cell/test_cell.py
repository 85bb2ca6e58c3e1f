# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
"""lab-cell does what it is told, and refuses what it cannot do."""

import json
import pathlib
import subprocess

import pytest

CELL = pathlib.Path(__file__).resolve().parents[3] / "build/lab/lab-cell"


def cell(*args):
    cmd = [CELL, "--ordinary", "--ops", "2000", *args]
    return subprocess.run(cmd, capture_output=True, text=True)


def test_a_cell_works_as_long_as_it_is_told():
    """A busy machine makes it longer, nothing makes it much shorter."""
    load = ["--lines", "3", "--refs", "2"]
    for option in ("--held-ns", "--apart-ns"):
        told = json.loads(cell(option, "20000", *load).stdout)
        assert told["ops"] == 2000 and told["seconds"] > 0.8 * 2000 * 20e-6
        assert told["longest_ms"] is None, "the clock would be most of a short section"
        assert told["wait_ns"]["each"] == 64 and told["wait_ns"]["samples"] == 32
    told = json.loads(cell(*load).stdout)
    assert told["longest_ms"] > 0
    assert told["wait_ns"]["each"] == 16 and told["wait_ns"]["samples"] == 125


def test_waits_are_as_long_as_the_lock_is_held():
    """Each waits for the other, who holds the lock for 1 ms: a busy machine makes it longer."""
    load = ["--threads", "2", "--held-ns", "1000000", "--ops", "640"]
    told = json.loads(cell(*load).stdout)
    waits = told["wait_ns"]
    # Every 64th acquisition is one, if it does not end by its time limit.
    assert 20 - told["timeouts"] <= waits["samples"] <= 20
    assert 0.5e6 < waits["p50"] <= waits["p99"] <= waits["p999"]


def test_percentiles_are_those_of_all_threads():
    told = json.loads(cell("--threads", "3").stdout)
    waits = told["wait_ns"]
    assert told["ops"] == 6000 and waits["samples"] == 3 * 125
    assert waits["p50"] <= waits["p99"] <= waits["p999"] <= round(told["longest_ms"] * 1e6)


def test_one_thread_keeps_the_lock():
    told = json.loads(cell().stdout)["owner"]
    assert told == {"changes": 0, "changes_each": 0.0, "run_p50": 2000, "run_p99": 2000}


@pytest.mark.parametrize("layout", [[], ["--embedded"], ["--semaphore"]])
def test_a_fair_lock_changes_its_owner(layout):
    """Whoever gives the ticket lock back while the other waits is behind it."""
    load = ["--lock", "ticket", "--threads", "2", "--held", "200", "--ops", "500", *layout]
    told = json.loads(cell(*load).stdout)
    acquisitions = told["ops"] * (2 if "--semaphore" in layout else 1)
    assert 0 < told["owner"]["changes"] < acquisitions
    assert told["owner"]["changes_each"] == told["owner"]["changes"] / acquisitions
    assert 1 <= told["owner"]["run_p50"] <= told["owner"]["run_p99"] <= acquisitions


def test_counters_are_there_or_say_why():
    """Context switches always are; two instructions are the least that an acquisition takes."""
    told = json.loads(cell("--threads", "2").stdout)
    counters = told["counters"]
    absent = counters.pop("absent") or ""
    assert counters.pop("context_switches") >= 0
    assert set(counters) == {"cycles", "instructions", "cache_misses"}
    for name, value in counters.items():
        assert (value is None) == (f"{name}: " in absent)
    assert counters["instructions"] is None or counters["instructions"] > 2 * told["ops"]


def stalled(lock, hold_ms, *args):
    return json.loads(cell("--lock", lock, "--stall-ms", str(hold_ms), *args).stdout)


def test_a_waiter_waits_for_a_stalled_owner():
    """A busy machine wakes the owner late, and begins a wait late: half of it is there anyway."""
    told = stalled("qspinlock", 20, "--threads", "2", "--ops", "5")
    assert (told["holds"], told["tries"]) == (5, 5)
    assert (told["timeouts"], told["deadlocks"]) == (0, 0)
    assert told["held_ms"] >= 19  # two clocks
    assert told["wait_ns"]["samples"] == 5 and told["wait_ns"]["p50"] > 10e6
    assert round(told["longest_ms"] * 1e6) >= told["wait_ns"]["p50"]


@pytest.mark.parametrize("lock", ["rqspinlock", "rqspinlock-hybrid", "rqspinlock-tas"])
def test_a_stall_longer_than_all_limits_is_told(lock):
    told = stalled(lock, 2000, "--threads", "2", "--ops", "1")
    assert (told["tries"], told["timeouts"], told["deadlocks"]) == (1, 1, 0)
    assert told["wait_ns"] is None and told["longest_ms"] > 200


@pytest.mark.parametrize("lock", ["test-and-set", "unfair", "rqspinlock-tas"])
def test_a_lock_without_a_queue_passes_it_always(lock):
    told = json.loads(cell("--lock", lock).stdout)
    assert told["events"]["unfair"] == told["ops"] and told["events"]["queued"] == 0


@pytest.mark.parametrize(
    "option", ["--lines=9", "--lines=1.5", "--refs=-1", "--held-ns=x", "--stall-ms=0.5"]
)
def test_a_cell_refuses(option):
    res = cell(option)
    assert res.returncode == 64 and "is no " in res.stderr
