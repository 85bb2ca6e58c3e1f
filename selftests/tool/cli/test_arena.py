# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
"""Locks in an arena: failures that a program reports, by name and line, and what check says."""

import json

import pytest
from conftest import (
    BUILD,
    TOP,
    needs_locks,
    needs_two_cpus,
    rqspin,
    run_sample,
    stat_while,
    validator,
)

FOUND, CLEAN = 10, 0
OBJECT = BUILD / "selftests/tool/cli/arena.bpf.o"
SOURCE = TOP / "selftests/tool/cli/arena.bpf.c"
CORPUS = BUILD / "selftests/tool/check/progs"
ROUNDS = 20

pytestmark = [needs_locks, pytest.mark.usefixtures("nothing_left")]


def line_of(program):
    lines = SOURCE.read_text().splitlines()
    (line,) = [nr for nr, text in enumerate(lines, 1) if f"at: {program} " in text]
    return line


def run(roles, *args):
    return run_sample(OBJECT, "--roles", roles, "--count", ROUNDS, *args)


def mine(events):
    return [e for e in events if (e["prog"]["name"] or "").startswith("arena_")]


@needs_two_cpus
def test_two_orders_are_two_timeouts(tracer):
    """Each side waits for the other one's lock: 20 rounds, 40 failures, each with its lock."""
    with tracer() as t:
        run("arena_ab,arena_ba")
    events = mine(t.events)
    schema = validator("events.schema.json")
    wanted = {"arena_ab": "cells[1].lock", "arena_ba": "cells[0].lock"}
    for e in events:
        schema.validate(e)
        name = e["prog"]["name"]
        lock = e["lock"]
        assert (e["kind"], e["errno"], e["source"]) == ("TIMEOUT", "ETIMEDOUT", "ring")
        assert (lock["name"], lock["map"], lock["map_type"]) == (wanted[name], "arena", "arena")
        assert e["at"]["line"] == line_of(name) and e["at"]["call"]
        assert (e["wait_ns"], e["held"], e["owner"]) == (None, None, None)
    assert sorted(e["prog"]["name"] for e in events) == sorted([*wanted] * ROUNDS)
    assert t.summary["lost"] == 0


@needs_two_cpus
def test_stat_counts_them():
    rows = stat_while(lambda _stat: run("arena_ab,arena_ba"))["counters"]
    rows = [c for c in rows if c["prog"].startswith("arena_")]
    assert {(c["prog"], c["kind"], c["lock"]["name"]): c["count"] for c in rows} == {
        ("arena_ab", "TIMEOUT", "cells[1].lock"): ROUNDS,
        ("arena_ba", "TIMEOUT", "cells[0].lock"): ROUNDS,
    }


def test_memory_that_was_allocated_has_no_name(tracer):
    """The first page that is free: behind the variables, or the first of all."""
    with tracer("--prog", "arena_heap") as t:
        run("arena_heap", "--cpus", 0)
    assert {e["lock"]["name"] for e in t.events} <= {"arena+0x10", "arena+0x1010"}
    assert {e["at"]["line"] for e in t.events} == {line_of("arena_heap")}
    assert len(t.events) == ROUNDS


def check(*args):
    res = rqspin("check", "--json", *args)
    out = json.loads(res.stdout)
    validator("check.schema.json").validate(out)
    return res.returncode, out


def test_check_names_the_locks():
    code, out = check(OBJECT)
    (cycle,) = [f for f in out["findings"] if f["severity"] != "note"]
    assert code == FOUND and cycle["kind"] == "cycle"
    assert "arena_ab takes cells[1].lock while it holds cells[0].lock" in cycle["message"]
    lines = {s["line"] for s in cycle["stages"]}
    assert lines == {line_of("arena_ab"), line_of("arena_ba")}


def test_arenas_of_two_objects_are_two():
    """Neither interrupts the other's lock, though both are behind pointers."""
    objects = [CORPUS / f"good_arena_{name}.bpf.o" for name in ("task", "packet")]
    code, out = check(*objects)
    assert (code, out["findings"]) == (CLEAN, [])
    assert len(out["programs"]) == 2


UNKNOWN = {
    "note_arena_inlined": ("arena", "exchanges words in an arena, in 2 places"),
    "note_arena_inlined_loop": ("arena", "exchanges words in an arena, in 2 places"),
    "note_arena_other_name": ("arena", "functions that may take locks in an arena, in 1 place:"),
    "note_arena_kept": ("arena_kept", "locks in an arena that it never releases"),
}


@pytest.mark.parametrize("name", UNKNOWN)
def test_what_is_not_followed_is_said(name):
    """In text, JSON and SARIF."""
    what, words = UNKNOWN[name]
    obj = CORPUS / f"{name}.bpf.o"
    code, out = check(obj)
    assert code == CLEAN and what in [i["what"] for i in out["programs"][0]["incomplete"]]
    assert words in rqspin("check", obj).stdout
    sarif = json.loads(rqspin("check", "--sarif", obj).stdout)
    said = [r["message"]["text"] for r in sarif["runs"][0]["results"]]
    assert any(words in text for text in said), said
