# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
"""rqspin check on programs that a seed makes, whose answer is known."""

import dataclasses
import sys

import pytest
from conftest import TOP, needs_locks

sys.path.insert(0, str(TOP / "selftests/check"))
import generate  # noqa: E402
import generated  # noqa: E402

pytestmark = [needs_locks, pytest.mark.usefixtures("nothing_left")]


def wrong_of(folder, cases, run=False):
    wrong = generated.look_at_all(folder, cases, jobs=2, run=run)
    return [f"{c.name} {c.kind} {c.shape}: {what}" for c, what, _ in wrong]


def test_generated(tmp_path):
    """No deadlock without a finding or a note, no certain finding without one."""
    cases = generate.cases(seed=20, count=240)
    assert {c.kind for c in cases} == {"abba", "aa", "interrupt", "order", "chain"}
    assert sum(c.each_run for c in cases) >= 4
    assert wrong_of(tmp_path, cases, run=True) == []


def test_a_wrong_answer_is_seen(tmp_path):
    """The twins, each taken for the other."""
    cases = [c for c in generate.cases(seed=3, count=160) if c.kind == "chain"]
    turned = [dataclasses.replace(c, deadlock=not c.deadlock) for c in cases]
    wrong = wrong_of(tmp_path, turned)
    assert len(wrong) == len(cases) >= 8
    assert sum("silent" in w for w in wrong) == len(cases) / 2


def test_a_seed_makes_the_same_programs():
    first, again = (generate.source(generate.cases(5, 60)) for _ in range(2))
    assert first == again
    assert first != generate.source(generate.cases(6, 60))
