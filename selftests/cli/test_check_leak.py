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
    """The object has the same list under bpf_spin_lock, in another program."""
    notes = leaks("selftests/progs/list_free.bpf.o")
    assert [n["program"] for n in notes] == ["push_resilient"] * kernel_leaks
    if kernel_leaks:
        assert notes[0]["severity"] == "note"
        assert "in this list when an element of map resilient goes" in notes[0]["message"]
        assert "bpf_spin_lock" in notes[0]["fix"]


def test_globals_and_trees(kernel_leaks):
    for sample, word in ("list_under_lock", "list"), ("rbtree_under_lock", "tree"):
        notes = leaks(f"bpf/progs/{sample}.bpf.o")
        assert [f"in this {word} when" in n["message"] for n in notes] == [True] * kernel_leaks


def test_not_of_programs_that_only_take_out(kernel_leaks):
    programs = {n["program"] for n in leaks("selftests/progs/list_reuse.bpf.o")}
    assert programs == ({"fill", "fill_tree"} if kernel_leaks else set())
