# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
"""What lab-detect says of the time after a failure."""

import json
import pathlib
import subprocess

import pytest

DETECT = pathlib.Path(__file__).resolve().parents[3] / "build/lab/lab-detect"


@pytest.fixture(scope="module")
def rows(tmp_path_factory):
    """The second table of the text, and all figures."""
    out, text, found = tmp_path_factory.mktemp("recovery") / "rows.json", "", []
    for group in ("aa", "crowd", "stall", "release"):
        cmd = [DETECT, "--only", group, "--rounds", "1000", "--json", out]
        done = subprocess.run(cmd, capture_output=True, text=True, check=False)
        assert done.returncode in (0, 1), "1: on a busy machine a row may be not ok"
        text += done.stdout.partition("First error to")[2]
        found += json.loads(out.read_text())
    return text, found


def recoveries(rows, scenario):
    return [r["recovery"] for r in rows[1] if r["scenario"] == scenario]


def test_each_failure_ends(rows):
    assert rows[1] and not any(row["stuck"] for row in rows[1])


def test_an_owner_that_lets_go(rows):
    """Of four waiters another one may be faster than the one that failed."""
    for waiters in (1, 4):
        found = recoveries(rows, f"owner lets go, {waiters} wait")
        assert len(found) == 3
        assert all(0 < r["anybody_p50_ns"] <= r["again_p50_ns"] for r in found)


def test_bystanders_come_first_or_later(rows):
    found = recoveries(rows, "2 + 2*1 behind")
    assert len(found) == 3
    for r in found:
        assert 0 < r["anybody_p50_ns"] <= r["again_p50_ns"]
        assert 0 < r["anybody_p99_ns"] <= r["again_p99_ns"]


def test_who_keeps_the_lock_lets_nobody_recover(rows):
    """A stalled owner: no figure, and no line in the text."""
    assert {r["again_p50_ns"] for r in recoveries(rows, "stalled owner, 1 wait")} == {None}
    assert "owner lets go, 1 wait" in rows[0] and "stalled owner" not in rows[0]


def test_an_error_that_is_the_thread_s_own_costs_little(rows):
    """AA: release and acquisition by the same thread, without anybody to wait for."""
    for r in recoveries(rows, "AA"):
        assert r["anybody_p50_ns"] == r["again_p50_ns"] > 0
