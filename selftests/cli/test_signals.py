# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
"""Ctrl-C and friends leave nothing loaded or pinned."""

import json
import signal
import subprocess

import pytest
from conftest import (
    RQSPIN,
    needs_locks,
    no_locks,
    rqspin,
    run_sample,
    skip_without_held_table,
)


@pytest.mark.parametrize("sig", [signal.SIGINT, signal.SIGTERM])
def test_trace_interrupted(tracer, nothing_left, sig):
    with tracer() as t:
        run_sample("aa", "--count", 3)
        assert t.stop(sig) == 0
    assert t.summary and t.summary["events"] == 3


@needs_locks
def test_run_interrupted(tracer, nothing_left):
    cmd = [RQSPIN, "run", "aa", "--duration", "60", "--json"]
    with tracer("--count", 1) as t:
        proc = subprocess.Popen(cmd, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        t.proc.wait(timeout=30)  # it ends with the first failure: the run is under way
        proc.send_signal(signal.SIGINT)
        out, talk = proc.communicate(timeout=30)
    assert json.loads(out)["interrupted"] is True, talk
    assert proc.returncode == 130, talk


def test_run_leaves_nothing(nothing_left):
    run_sample("aa", "--count", 1)


def test_held_leaves_nothing(nothing_left):
    skip_without_held_table()
    assert rqspin("held").returncode == 0


def test_doctor_leaves_nothing(nothing_left):
    assert rqspin("doctor").returncode == (3 if no_locks() else 0)


def test_tracer_killed_leaves_nothing(tracer, nothing_left):
    with tracer() as t:
        t.proc.kill()
        t.proc.wait()
