# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
"""Other resilient locks stand beside ours in lab-detect, and what they do is no verdict."""

import json
import pathlib
import subprocess

import pytest

DETECT = pathlib.Path(__file__).resolve().parents[3] / "build/lab/lab-detect"
RIVALS = {"held-table", "upstream", "upstream-tas"}


@pytest.fixture(scope="module")
def rows(tmp_path_factory):
    """ABBA and cycles of each lock."""
    out = tmp_path_factory.mktemp("detect") / "rows.json"
    cmd = [DETECT, "--rivals", "--only", "ring", "--rounds", "200", "--json", out]
    done = subprocess.run(cmd, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout
    for line in done.stdout.splitlines():
        if line.split()[1:2] and line.split()[1] in RIVALS:
            assert line.startswith("- ")
    return json.loads(out.read_text())


def of(rows, lock, scenario):
    return next(r for r in rows if (r["lock"], r["scenario"]) == (lock, scenario))


def test_all_take_part(rows):
    assert {r["lock"] for r in rows} >= RIVALS | {"rqspinlock", "rqspinlock-tas"}


@pytest.mark.parametrize("lock", sorted(RIVALS))
def test_a_rival_diagnoses_pairs_only(rows, lock):
    """What its authors say of it: pairs are diagnosed, longer cycles end by a time limit."""
    pair, cycle = of(rows, lock, "ABBA"), of(rows, lock, "cycle of 3")
    assert pair["victims"] >= pair["rounds"]
    assert not cycle["victims"] and cycle["timeouts"] >= cycle["rounds"]
    assert cycle["p50_ns"] > 100 * of(rows, "rqspinlock", "cycle of 3")["p50_ns"]


@pytest.mark.parametrize("lock", ["rqspinlock", *sorted(RIVALS)])
@pytest.mark.parametrize("scenario", ["ABBA", "cycle of 3"])
def test_who_failed_gets_the_lock_next_time(rows, lock, scenario):
    """Nobody else wants it: both figures are that of the thread that tries again."""
    row = of(rows, lock, scenario)
    recovery = row["recovery"]
    assert row["stuck"] == 0
    assert 0 < recovery["again_p50_ns"] <= recovery["again_p99_ns"]
    assert recovery["anybody_p50_ns"] == recovery["again_p50_ns"]
