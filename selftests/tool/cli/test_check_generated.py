# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
"""rqspin check on programs that a seed makes, whose answer is known."""

import dataclasses
import sys

import pytest
from conftest import TOP, needs_locks, needs_two_cpus

sys.path.insert(0, str(TOP / "selftests/tool/check"))
import generate  # noqa: E402
import generated  # noqa: E402

pytestmark = [needs_locks, pytest.mark.usefixtures("nothing_left")]


def wrong_of(folder, cases, run=False):
    wrong = generated.look_at_all(folder, cases, jobs=2, run=run)
    return [f"{c.name} {c.kind} {c.shape}: {what}" for c, what, _ in wrong]


def test_generated(tmp_path):
    """No deadlock without a finding or a note, no certain finding without one."""
    cases = generate.cases(seed=20, count=240)
    rare = {"inner", "object", "shared", "meeting"}
    assert {c.kind for c in cases} == rare | {"abba", "aa", "interrupt", "order", "chain"}
    assert sum(c.each_run for c in cases) >= 4
    assert wrong_of(tmp_path, cases, run=True) == []


def test_a_wrong_answer_is_seen(tmp_path):
    """The twins, each taken for the other."""
    cases = [c for c in generate.cases(seed=3, count=160) if c.kind == "chain"]
    turned = [dataclasses.replace(c, deadlock=not c.deadlock) for c in cases]
    wrong = wrong_of(tmp_path, turned)
    assert len(wrong) == len(cases) >= 8
    assert sum("silent" in w for w in wrong) == len(cases) / 2


@needs_two_cpus
def test_a_run_that_is_otherwise_is_seen(tmp_path):
    """Programs that meet, and those that deadlock alone: the twins again."""
    cases = generate.cases(seed=1, count=400)
    cases = [c for c in cases if c.meets or c.kind == "object"]
    turned = [dataclasses.replace(c, deadlock=not c.deadlock) for c in cases]
    wrong = [w for w in wrong_of(tmp_path, turned, run=True) if "run otherwise" in w]
    assert len(wrong) == len(cases) >= 4


def test_a_seed_makes_the_same_programs():
    first, again = (generate.source(generate.cases(5, 60)) for _ in range(2))
    assert first == again
    assert first != generate.source(generate.cases(6, 60))
