# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
"""`rqspin held --arena`: the words of locks that real programs have left in an arena."""

import json
import re
import subprocess

import bpfobj
import pytest
from conftest import BPFTOOL, BUILD, LIMIT, needs_two_cpus, rqspin, validator

OBJECT = BUILD / "selftests/tool/cli/arena_words.bpf.o"
ARENA = "words_arena"
PAGE = 0x1000
SIZE = 8 * PAGE
NAMES = ["cells[0].lock", "cells[1].lock", "cells[2].lock", "queue"]
FREE = {"state": "free", "word": "0x0"}
EMPTY = {"pending": False, "tail_cpu": None, "tail_level": None}
PLAIN = {"pending": None, "tail_cpu": None, "tail_level": None}
LOCKED = {"state": "locked", "word": "0x1"}


@pytest.fixture
def programs(nothing_left):
    try:
        with bpfobj.pinned(OBJECT) as where:
            yield where
    except subprocess.CalledProcessError as e:
        assert b"map 'words_arena': failed to create" in e.stderr, e.stderr
        pytest.skip("the kernel or bpftool knows no arenas")


def run(prog, cpu=0):
    on = ["taskset", "-c", str(cpu), BPFTOOL, "-j", "prog", "run", "pinned", prog]
    cmd = [*on, "data_in", "-"]
    out = subprocess.run(cmd, check=True, input=bytes(64), capture_output=True, timeout=LIMIT)
    assert json.loads(out.stdout)["retval"] == 0


def held(*args):
    return rqspin("held", "--arena", *args)


def look(*args, arena=ARENA):
    res = held(arena, "--json", *args)
    assert res.returncode == 0, res.stderr
    seen = json.loads(res.stdout)
    validator("arena.schema.json").validate(seen)
    assert (seen["map"], seen["size"], seen["beyond"]) == (ARENA, SIZE, 0)
    return seen


def words(*args):
    """By the lock's name, what its word says."""
    return {
        lock["lock"]["name"]: {k: v for k, v in lock.items() if k not in ("lock", "offset")}
        for lock in look(*args)["locks"]
    }


def test_each_state_of_a_queue(programs):
    """From free to owner, next waiter, queue and hand-over, and back."""
    assert words("--word", "queue") == {"queue": {"layout": "queued", **FREE, **EMPTY}}
    run(programs / "words_take")
    assert words("--word", "queue") == {"queue": {"layout": "queued", **LOCKED, **EMPTY}}
    run(programs / "words_next")
    (queue,) = words("--word", "queue").values()
    assert (queue["state"], queue["pending"], queue["tail_cpu"]) == ("locked", True, None)
    run(programs / "words_queue")
    (queue,) = words("--word", "queue").values()
    assert (queue["state"], queue["pending"], queue["tail_cpu"]) == ("locked", True, 0)
    assert queue["tail_level"] == 0
    run(programs / "words_leave")
    assert words("--word", "queue") == {"queue": {"layout": "queued", **FREE, **EMPTY}}


@needs_two_cpus
def test_the_last_waiter_has_its_cpu(programs):
    run(programs / "words_handover", cpu=1)
    (queue,) = words("--word", "queue").values()
    assert (queue["state"], queue["tail_cpu"], queue["tail_level"]) == ("handed over", 1, 2)
    assert re.search(
        r"^queue\(map \d+\) handed over, last in the queue is cpu 1 \(level 2\) \[0xa0000\]$",
        held(ARENA).stdout,
        re.MULTILINE,
    )


def test_all_locks_are_shown_and_the_right_one_is_taken(programs):
    run(programs / "words_take")
    seen = words()
    assert list(seen) == NAMES
    assert seen["cells[1].lock"] == {"layout": "plain", **LOCKED, **PLAIN}
    assert seen["cells[0].lock"] == seen["cells[2].lock"] == {"layout": "plain", **FREE, **PLAIN}
    lines = [line.split("(")[0] for line in held(ARENA).stdout.splitlines()[1:]]
    assert lines == NAMES


def test_names_and_ids_choose(programs):
    ids = {look()["map_id"]}
    assert list(words("--word", "cells")) == NAMES[:3]
    assert list(words("--word", "queue", "--word", "cells[2]")) == [NAMES[3], NAMES[2]]
    ids.add(look(arena=ids.copy().pop())["map_id"])
    assert len(ids) == 1


def test_the_offset_of_a_variable_is_its_name(programs):
    (queue,) = look("--word", "queue")["locks"]
    (same,) = look("--word", hex(queue["offset"]))["locks"]
    assert same == queue


def test_two_arenas_of_a_name_need_an_id(programs):
    with bpfobj.pinned(OBJECT) as second:
        run(second / "words_take")
        res = held(ARENA)
        assert res.returncode == 1 and "several arenas" in res.stderr, res
        ids = re.findall(r"\d+", res.stderr.split("ids")[1])
        states = [
            look("--word", "queue", arena=i)["locks"][0]["state"] for i in sorted(ids, key=int)
        ]
    assert states == ["free", "locked"]


def test_memory_that_was_allocated(programs):
    """A word on the heap looks like the lock that RES_ARENA_DEFINE() names."""
    first = look("--word", "cells[0]")["locks"][0]["offset"] - 8
    off = first + bpfobj.run_syscall(programs / "words_heap")
    assert off % PAGE == 16
    for word in (hex(off), f"{ARENA}+{off:#x}"):
        (lock,) = look("--word", word)["locks"]
        assert lock["lock"]["name"] == f"{ARENA}+{off:#x}"
        assert {k: lock[k] for k in LOCKED} == LOCKED and lock["layout"] == "plain"


def test_reading_allocates_nothing(programs):
    """Pages without memory stay so, however often they are looked at; the kernel hands them out."""
    asked = [arg for page in range(8) for arg in ("--word", hex(page * PAGE + 16))]
    absent = [w["word"] is None for w in words(*asked).values()]
    assert absent.count(False) == 1, "the page of the variables alone exists"
    assert [w["word"] is None for w in words(*asked).values()] == absent
    assert "has no page: nobody has touched it" in held(ARENA, *asked).stdout
    for _page in range(7):
        assert bpfobj.run_syscall(programs / "words_heap")
    assert not bpfobj.run_syscall(programs / "words_heap"), "the arena was not full"
    assert None not in [w["word"] for w in words(*asked).values()]


def test_no_addr(programs):
    assert {lock["lock"]["addr"] for lock in look("--no-addr")["locks"]} == {None}
    assert None not in {lock["lock"]["addr"] for lock in look()["locks"]}


def test_it_repeats(programs):
    res = held(ARENA, "--json", "-w1", "-c3", "--word", "queue")
    assert res.returncode == 0 and len(res.stdout.splitlines()) == 3


REFUSED = {
    "no such lock": (["--word", "queues"], "did you mean 'queue'"),
    "a lock's beginning": (["--word", "que"], "no lock of the arena is 'que'"),
    "outside": (["--word", hex(SIZE)], "outside of the arena"),
    "across the end": (["--word", hex(SIZE - 3)], "outside of the arena"),
    "no number": (["--word", "0x"], "no lock of the arena is '0x'"),
}


@pytest.mark.parametrize("what", REFUSED)
def test_what_is_no_lock_is_refused(programs, what):
    args, words = REFUSED[what]
    res = held(ARENA, *args)
    assert (res.returncode, res.stdout) == (1, "")
    assert words in res.stderr and res.stderr.count("\n") == 1


def test_other_maps_are_no_arenas(programs):
    for name in ("no_such_map", "0", str(2**40)):
        res = held(name)
        assert (res.returncode, res.stdout) == (1, "")
        assert f"no loaded map '{name}' is an arena; ids of arenas: " in res.stderr


@pytest.mark.parametrize(
    "args, words",
    [
        (["--word", "queue"], "--word needs --arena"),
        (["--arena", "a", "--word", ""], "--word: '' is no lock"),
    ],
)
def test_usage(args, words):
    res = rqspin("held", *args)
    assert res.returncode == 2 and words in res.stderr
