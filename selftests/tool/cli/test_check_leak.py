# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
"""Lists and trees under resilient locks, which some kernels do not free: a note, and why."""

import json

import pytest
from conftest import BUILD, doctor_check, needs_locks, rqspin, validator

pytestmark = [needs_locks, pytest.mark.usefixtures("nothing_left")]


def leaks(obj):
    out = json.loads(rqspin("check", "--json", BUILD / obj).stdout)
    validator("check.schema.json").validate(out)
    return [f for f in out["findings"] if f["kind"] == "leak"]


@pytest.fixture
def kernel_leaks():
    check = doctor_check("nested_free")
    if check["available"] is None:
        pytest.skip(check["detail"])
    return not check["available"]


def test_only_under_the_resilient_lock(kernel_leaks):
    """The object has the same lists and trees under bpf_spin_lock, in other programs."""
    notes = leaks("selftests/kernel/progs/list_free.bpf.o")
    places = {"resilient_push": "an element of map resilient_", "resilient_stash": "its object"}
    wanted = [(p, f"in this {w} when {of}") for p, of in places.items() for w in ("list", "tree")]
    assert len(notes) == len(wanted) * kernel_leaks
    for note, (program, says) in zip(notes, wanted, strict=False):
        assert (note["program"], note["severity"]) == (program, "note")
        assert says in note["message"] and "bpf_spin_lock" in note["fix"]


def test_globals_and_trees(kernel_leaks):
    for sample, word in ("list_under_lock", "list"), ("rbtree_under_lock", "tree"):
        notes = leaks(f"bpf/progs/{sample}.bpf.o")
        assert [f"in this {word} when" in n["message"] for n in notes] == [True] * kernel_leaks


def test_not_of_programs_that_only_take_out(kernel_leaks):
    programs = {n["program"] for n in leaks("selftests/kernel/progs/list_reuse.bpf.o")}
    assert programs == ({"fill", "fill_tree"} if kernel_leaks else set())
