# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
"""lab-cell does what it is told, and refuses what it cannot do."""

import json
import pathlib
import subprocess

import pytest

CELL = pathlib.Path(__file__).resolve().parents[3] / "build/lab/lab-cell"


def cell(*args):
    cmd = [CELL, "--ordinary", "--ops", "2000", *args]
    return subprocess.run(cmd, capture_output=True, text=True)


def test_a_cell_works_as_long_as_it_is_told():
    """A busy machine makes it longer, nothing makes it much shorter."""
    load = ["--lines", "3", "--refs", "2"]
    for option in ("--held-ns", "--apart-ns"):
        told = json.loads(cell(option, "20000", *load).stdout)
        assert told["ops"] == 2000 and told["seconds"] > 0.8 * 2000 * 20e-6
        assert told["longest_ms"] is None, "the clock would be most of a short section"
    assert json.loads(cell(*load).stdout)["longest_ms"] > 0


@pytest.mark.parametrize("lock", ["test-and-set", "unfair", "rqspinlock-tas"])
def test_a_lock_without_a_queue_passes_it_always(lock):
    told = json.loads(cell("--lock", lock).stdout)
    assert told["events"]["unfair"] == told["ops"] and told["events"]["queued"] == 0


@pytest.mark.parametrize("option", ["--lines=9", "--lines=1.5", "--refs=-1", "--held-ns=x"])
def test_a_cell_refuses(option):
    res = cell(option)
    assert res.returncode == 64 and "is no " in res.stderr
