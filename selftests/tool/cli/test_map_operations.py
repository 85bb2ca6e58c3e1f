# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
"""Failed locks inside maps on kernels whose lock does not tell: by operations that fail.

The same deadlocks as in test_map_failures.py. What the operations returned is what the tracer must
have seen, or it must have said that it does not see such locks.
"""

import contextlib
import re
from collections import Counter

import pytest
from conftest import doctor, kernel_has_tracepoint, needs_four_cpus, stat_while
from mapfailures import PLACES, check_lock, failed, failures

COUNT = 101
SEEN = ("hash", "percpu_hash", "lru_bucket", "lru_list", "lru_cpu")
UNSEEN = {
    "lpm": "lpm_trie",
    "queue": "queue",
    "stack": "stack",
    "ringbuf_output": "ringbuf",
    "ringbuf_reserve": "ringbuf",
    "ringbuf_dynptr": "ringbuf",
}


@pytest.fixture(autouse=True)
def operations():
    if kernel_has_tracepoint():
        pytest.skip("this kernel's lock tells of each failure: test_map_failures.py")
    why = next(s for s in doctor()["trace_sources"] if s["name"] == "mapops")
    if not why["usable"]:
        pytest.skip(f"mapops: {why['detail']}")


def check_aa(told, place, events):
    name, call = PLACES[place]
    assert failed(told, place) == COUNT == len(events)
    for e in events:
        assert (e["kind"], e["errno"], e["parties"]) == ("AA", "EDEADLK", 1)
        assert (e["source"], e["map_id"]) == ("mapops", told["lock"]["map_id"])
        assert e["prog"]["id"] == told["prog_id"]
        check_lock(e["lock"], name, told["lock"])
        assert told["lock"]["addr"] in [h["addr"] for h in e["held"]]
        assert e["cpu"] == e["owner"]["cpu"] == told["cpu"]
        assert e["at"]["file"].endswith("map_failures.bpf.c") and call in e["at"]["text"]


def test_aa(tracer, schema, nothing_left):
    """One tracer for all places: to start one takes long in a guest."""
    with contextlib.ExitStack() as stack:
        t = stack.enter_context(tracer())
        told = {place: stack.enter_context(failures(place, COUNT)) for place in SEEN}
        t.stop()
    assert t.summary["lost"] == 0 and not t.summary["lost_unknown"]
    for place in SEEN:
        ours = [e for e in t.events if e["prog"]["name"] == told[place]["prog"]]
        check_aa(told[place], place, ours)
        schema.validate(ours[0])
    assert len(t.events) == COUNT * len(SEEN)


def test_many_are_counted_exactly(nothing_left):
    """More than the buffer holds, on top of map operations; and the machine lives."""
    count, want = 20011, Counter()

    def body(_stat):
        for place in ("hash", "lru_list"):
            with failures(place, count) as told:
                assert failed(told, place) == count
                want["AA", told["prog"], PLACES[place][0]] = count

    table = stat_while(body, "--buffer", "64K")
    rows = {(r["kind"], r["prog"], r["lock"]["name"]): r["count"] for r in table["counters"]}
    assert rows == want and not table["lost_unknown"]


@needs_four_cpus
def test_abba(tracer, schema, nothing_left):
    """Buckets of two maps: whoever fails, the lock is the one that the other side holds."""
    with tracer() as t, failures("abba", 5) as told:
        t.stop()
    kinds = Counter(e["kind"] for e in t.events)
    assert kinds["ABBA"] == told["edeadlk"] and kinds["TIMEOUT"] == told["etimedout"]
    assert len(t.events) == told["edeadlk"] + told["etimedout"]
    sides = {"cross_0": ("other_hash", "hash"), "cross_1": ("hash", "other_hash")}
    for e in t.events:
        wants, holds = sides[e["prog"]["name"]]
        assert f"bpf_map_update_elem(&{wants}," in e["at"]["text"]
        assert (e["lock"]["map"], e["lock"]["map_type"]) == (wants, "hash")
        assert [h["name"] for h in e["held"]] == [f"hash {holds} bucket 0"]
        schema.validate(e)


def test_unseen_is_said(tracer, nothing_left):
    """Neither shown nor passed over: at the start, in the summary and in the exit code."""
    with contextlib.ExitStack() as stack:
        t = stack.enter_context(tracer("--strict"))
        for place in UNSEEN:
            told = stack.enter_context(failures(place, 7))
            assert failed(told, place) == 7
        code = t.stop()
    types = set(UNSEEN.values())
    assert code == 4 and t.events == [] and t.summary["lost"] == 0
    assert types <= set(t.summary["map_types_unseen"])
    detail = next(c for c in doctor()["checks"] if c["id"] == "map_locks")["detail"]
    said = re.search("NOT all failed locks inside maps of these types are seen: (.*)", t.talk)
    assert said and types <= set(said[1].split(", ")) == set(detail.split(", "))
