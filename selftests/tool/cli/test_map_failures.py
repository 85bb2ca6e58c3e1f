# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
"""Every failure of every kind of lock once: map-internal ones too, with lock, map and source line.

Deadlocks are made to order (selftests/tool/cli/map_failures.c) by programs that run on top of a map
operation and want its lock; what the operations returned is what the tracer must have seen.
"""

import contextlib
import errno
import os
from collections import Counter

import pytest
from conftest import (
    BUILD,
    failed_runs,
    needs_four_cpus,
    needs_locks,
    needs_two_cpus,
    run_sample,
    skip_without_tracepoint,
    stat_while,
)
from mapfailures import PLACES, check_lock, failed, failures

PLAIN = BUILD / "selftests/kernel/progs/plain_deadlock.bpf.o"
COUNT = 101
QUEUE = "queue queue lock"


@pytest.fixture(autouse=True)
def tracepoint():
    skip_without_tracepoint()


def check_schema(t, schema):
    """One of each sort: it takes a second in a guest."""
    sorts = {(e["kind"], e["source"], e["lock"]["name"]): e for e in t.events}
    for e in sorts.values():
        schema.validate(e)


def check_whole(t, schema):
    """Nothing lost, nothing twice, and nobody but the lock was asked."""
    assert t.summary["lost"] == 0 and not t.summary["lost_unknown"]
    assert t.summary["events"] == len(t.events)
    check_schema(t, schema)
    for e in t.events:
        assert e["source"] == "tracepoint" and e["joined"] is None and not e["sampled"]


@pytest.mark.parametrize("place", PLACES)
def test_aa(tracer, schema, nothing_left, place):
    name, call = PLACES[place]
    with tracer() as t, failures(place, COUNT) as told:
        t.stop()
    assert failed(told, place) == COUNT == len(t.events)
    check_whole(t, schema)
    for e in t.events:
        assert (e["kind"], e["errno"], e["parties"]) == ("AA", "EDEADLK", 1)
        assert e["prog"] == {"id": told["prog_id"], "name": told["prog"]}
        assert e["map_id"] == told["lock"]["map_id"]
        check_lock(e["lock"], name, told["lock"])
        assert [h["addr"] for h in e["held"]] == [told["lock"]["addr"]]
        assert e["cpu"] == e["owner"]["cpu"] == told["cpu"]
        assert e["at"]["file"].endswith("map_failures.bpf.c") and call in e["at"]["text"]


@needs_four_cpus
def test_abba(tracer, schema, nothing_left):
    """Buckets of two maps; one side fails, as it happens to be, and the other one goes on."""
    with tracer() as t, failures("abba", 7) as told:
        t.stop()
    kinds = Counter(e["kind"] for e in t.events)
    assert kinds["ABBA"] == told["edeadlk"] == 7
    assert kinds["TIMEOUT"] == told["etimedout"] and len(t.events) == 7 + told["etimedout"]
    check_whole(t, schema)
    sides = {"cross_0": ("other_hash", "hash"), "cross_1": ("hash", "other_hash")}
    locks = {told[which]["map"]: told[which] for which in ("lock", "other_lock")}
    for e in t.events:
        wants, holds = sides[e["prog"]["name"]]
        assert f"bpf_map_update_elem(&{wants}," in e["at"]["text"]
        check_lock(e["lock"], f"hash {wants} bucket 0", locks[wants])
        if e["kind"] == "ABBA":
            check_lock(e["held"][0], f"hash {holds} bucket 0", locks[holds])
            check_lock(e["owner"]["wants"], f"hash {holds} bucket 0", locks[holds])
            assert e["parties"] == 2 and e["owner"]["cpu"] == 1 - e["cpu"]


@needs_two_cpus
def test_timeout_of_a_system_call(tracer, schema, nothing_left):
    with tracer() as t, failures("timeout", 3) as told:
        t.stop()
    assert told["refused"] == 3 == len(t.events)
    check_whole(t, schema)
    for e in t.events:
        assert (e["kind"], e["errno"], e["prog"]) == ("TIMEOUT", "ETIMEDOUT", None)
        check_lock(e["lock"], QUEUE, told["lock"])
        assert e["map_id"] == told["lock"]["map_id"] and e["comm"] == "map_failures"
        assert e["owner"]["cpu"] == 1 and e["wait_ns"] >= 200_000_000


# Place: what the operation returns behind an owner that does not release, on the patched 6.12.
BEHIND = {
    "hash": errno.ETIMEDOUT,
    "percpu_hash": errno.ETIMEDOUT,
    "lru_bucket": errno.ENOMEM,  # it cannot evict
    "lru_list": errno.ENOMEM,
    "free_list": errno.E2BIG,
    "lpm": errno.ETIMEDOUT,
    "ringbuf_output": errno.EAGAIN,
    "ringbuf_dynptr": errno.EINVAL,
    "stackid": errno.ENOMEM,
    "queue": errno.EBUSY,
    "stack": errno.EBUSY,
}


@needs_two_cpus
@pytest.mark.parametrize("place", BEHIND)
def test_behind_an_owner_that_does_not_release(nothing_left, place):
    """Interrupts are off meanwhile: for less than a second, in every mode; 950 ms with tas."""
    with failures(f"behind-{place}", 5) as told:
        print(f"{place}: {told['ms']} ms")
    if BEHIND[place] == errno.ETIMEDOUT:
        assert told["etimedout"] == 5, told
    else:
        assert (told["other"], told["other_err"]) == (5, -BEHIND[place]), told
    assert told["ms"] < 1000, told
    if os.environ.get("RQSPIN_LOCK_PATH") == "tas":
        assert told["ms"] > 900, told


@needs_locks
def test_kfunc(tracer, schema, nothing_left):
    """One event for each, told by the lock alone or joined with the program's own report."""
    # A program that is gone before a busy tracer gets to run would be counted as missed.
    slowly = ("--count", COUNT, "--rate", 200)
    with tracer("-v") as t:
        plain = run_sample(PLAIN, "--roles", "plain_aa", *slowly)
        own = run_sample("aa", *slowly)
    assert failed_runs(plain) == own["total"]["failed"] == COUNT
    assert t.summary["lost"] == 0 and not t.summary["lost_unknown"], (t.summary, t.talk)
    told = Counter((e["prog"]["name"], e["kind"], e["source"], e["joined"]) for e in t.events)
    assert told == {
        ("plain_aa", "AA", "tracepoint", None): COUNT,
        ("aa", "AA", "ring", "tracepoint"): COUNT,
    }
    check_schema(t, schema)
    for e in t.events:
        assert e["lock"]["internal"] is None and e["map_id"] is None


@needs_locks
def test_all_at_once(nothing_left):
    """`rqspin stat` counts the same, lock by lock and program by program."""
    want = Counter({("aa", "slots[0].lock"): 13})
    with contextlib.ExitStack() as stack:

        def body(_stat):
            for n, (place, (lock, _)) in enumerate(PLACES.items()):
                told = stack.enter_context(failures(place, 17 + n))
                want[told["prog"], lock] += failed(told, place)
            run_sample("aa", "--count", 13)

        table = stat_while(body)
    assert not table["lost_unknown"]
    assert {row["kind"] for row in table["counters"]} == {"AA"}
    got = Counter()
    for row in table["counters"]:
        got[row["prog"], row["lock"]["name"]] += row["count"]
    assert got == want
