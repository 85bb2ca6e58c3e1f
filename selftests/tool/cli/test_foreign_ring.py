# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
"""A program may write anything into the ring of its own failures: what cannot be is refused."""

import json
import mmap
import struct
import subprocess
import time

import pytest
from bpfobj import opened, pinned
from conftest import BPFTOOL, BUILD, LIMIT, skip_without_locks

SAMPLE = BUILD / "bpf/progs/aa.bpf.o"
FOREIGN = BUILD / "selftests/tool/rings/ring_foreign.bpf.o"

# include/rqspin/event.h
EVENT = struct.Struct("<5Qi3Ii7I16Q16s16s32s")
EVENTS = 4096
GROUPS, GROUP = 512, 112
LAYOUT, LAYOUT_AT = 5, 16
WAIT_UNKNOWN = 2**64 - 1


def event(seq, ts_ns=None, wait_ns=WAIT_UNKNOWN, err=-35, kind=1, cpu=0, line=1):
    ts = time.monotonic_ns() if ts_ns is None else ts_ns
    head = (seq, ts % 2**64, wait_ns % 2**64, 0xFFFF888000000000, 0, err, kind, 1, cpu, -1)
    return EVENT.pack(*head, 7, 7, line, 0, 0, 2**32 - 1, 0, *[0] * 16, b"task", b"aa", b"")


@pytest.fixture
def ring():
    """The memory of a loaded object's ring, and where its slots are."""
    skip_without_locks()
    with pinned(SAMPLE, maps=True) as where, opened(where / "maps/_bss_rqspin") as fd:
        size = ring_size(where / "maps/_bss_rqspin")
        with mmap.mmap(fd, size) as mem:
            mem[LAYOUT_AT : LAYOUT_AT + 4] = struct.pack("<I", LAYOUT)
            yield mem, size - GROUPS * GROUP - EVENTS * EVENT.size


def ring_size(pin):
    show = [BPFTOOL, "-j", "map", "show", "pinned", pin]
    res = subprocess.run(show, check=True, capture_output=True, timeout=LIMIT)
    return json.loads(res.stdout)["bytes_value"]


def put(mem, slots, pos, data):
    at = slots + pos * EVENT.size
    mem[at : at + EVENT.size] = data


BAD = {
    "negative time": {"ts_ns": -5},
    "negative wait": {"wait_ns": -5},
    "positive errno": {"err": 35},
    "no errno": {"err": 0},
    "kind": {"kind": 77},
    "cpu": {"cpu": 2**31},
}


@pytest.mark.parametrize("fields", BAD.values(), ids=BAD.keys())
def test_what_no_failure_leaves_is_refused(tracer, ring, fields):
    mem, slots = ring
    with tracer("--source", "ring") as t:
        put(mem, slots, 0, event(1, **fields))
        put(mem, slots, 1, event(2))
        mem[0:8] = struct.pack("<Q", 2)
    assert len(t.events) == 1 and t.summary["lost"] == 1
    assert "1 record" in t.talk and "refused" in t.talk


def test_a_place_that_is_never_filled_hides_nothing(tracer, ring):
    """Nor is it waited for at the end, and it counts."""
    mem, slots = ring
    with tracer("--source", "ring", "--strict") as t:
        put(mem, slots, 1, event(2))
        put(mem, slots, 2, event(3))
        mem[0:8] = struct.pack("<Q", 3)
    assert len(t.events) == 2 and t.summary["lost"] == 1
    assert t.proc.returncode == 4


def test_a_head_that_no_writer_left_there(tracer, ring):
    mem, slots = ring
    with tracer("--source", "ring") as t:
        mem[0:8] = struct.pack("<Q", 2**63 + 1)
    assert t.events == [] and t.summary["lost"] == 0 and t.summary["lost_unknown"]


@pytest.mark.parametrize("layout", [0, 1, LAYOUT - 1, LAYOUT + 1])
def test_headers_of_another_release(tracer, ring, layout):
    mem, slots = ring
    with tracer("--source", "ring", "--strict") as t:
        mem[LAYOUT_AT : LAYOUT_AT + 4] = struct.pack("<I", layout)
        put(mem, slots, 0, event(1))
        mem[0:8] = struct.pack("<Q", 1)
    assert t.events == [] and t.summary["lost_unknown"] and t.proc.returncode == 4
    assert "headers of another release: compile it again" in t.talk


def test_a_ring_of_another_layout(tracer):
    """Its size tells; it is named once, and nothing else is said of its program."""
    with pinned(FOREIGN), tracer("--source", "ring", "--strict") as t:
        pass
    assert t.events == [] and t.summary["lost_unknown"] and t.proc.returncode == 4
    assert t.talk.count("headers of another release: compile it again") == 1
