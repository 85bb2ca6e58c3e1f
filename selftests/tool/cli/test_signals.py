# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
"""Ctrl-C and friends leave nothing loaded or pinned."""

import fcntl
import json
import os
import pathlib
import signal
import subprocess
import time

import pytest
from conftest import (
    LIMIT,
    RQSPIN,
    cpu_clock,
    needs_locks,
    no_locks,
    rqspin,
    run_sample,
    skip_without_held_table,
    wait_ready,
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
        t.proc.wait(timeout=LIMIT)  # it ends with the first failure: the run is under way
        proc.send_signal(signal.SIGINT)
        out, talk = proc.communicate(timeout=LIMIT)
    assert json.loads(out)["interrupted"] is True, talk
    assert proc.returncode == 130, talk


@needs_locks
def test_run_hung_up(tracer, nothing_left):
    """A terminal that goes away: the report is made all the same, unless nohup has it go on."""
    cmd = [RQSPIN, "run", "aa", "--duration", "60", "--json"]
    for ignored in (False, True):
        handler = signal.SIG_IGN if ignored else signal.SIG_DFL
        with tracer("--count", 1) as t:
            proc = subprocess.Popen(
                cmd,
                stdout=subprocess.PIPE,
                stderr=subprocess.PIPE,
                text=True,
                preexec_fn=lambda handler=handler: signal.signal(signal.SIGHUP, handler),
            )
            t.proc.wait(timeout=LIMIT)
        proc.send_signal(signal.SIGHUP)
        # Of two that wait the hangup would be taken first.
        if ignored:
            proc.send_signal(signal.SIGINT)
        out, talk = proc.communicate(timeout=LIMIT)
        assert json.loads(out)["interrupted"] is True, talk
        assert proc.returncode == (130 if ignored else 129), talk


def goes_on(proc):
    """Wait until the process has run for another millisecond, sleeps or is gone.

    libbpf takes a program load that was interrupted five times in a row for a refusal, and a
    probe of a feature for its absence: no person and no debugger stops a process that often.
    """
    stat = pathlib.Path(f"/proc/{proc.pid}/stat")
    clock = cpu_clock(proc.pid)
    ran = time.clock_gettime_ns(clock) if proc.poll() is None else 0
    while proc.poll() is None:
        state = stat.read_text().rpartition(")")[2].split()[0]
        if state in "SZX" or time.clock_gettime_ns(clock) - ran >= 1_000_000:
            return


def stop_and_go(proc, times):
    """SIGSTOP and SIGCONT, each after the other has had its effect."""
    stat = pathlib.Path(f"/proc/{proc.pid}/stat")
    for _ in range(times):
        goes_on(proc)
        proc.send_signal(signal.SIGSTOP)
        while proc.poll() is None and stat.read_text().rpartition(")")[2].split()[0] != "T":
            pass
        proc.send_signal(signal.SIGCONT)
        while proc.poll() is None and stat.read_text().rpartition(")")[2].split()[0] == "T":
            pass


@needs_locks
@pytest.mark.parametrize("sample", ["aa", "nested"])
def test_run_stopped(sample, tracer, nothing_left):
    """A stopped run goes on and its counts add up."""
    cmd = [RQSPIN, "run", sample, "--duration", "2", "--json"]
    proc = subprocess.Popen(cmd, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    stop_and_go(proc, 60)
    out, talk = proc.communicate(timeout=LIMIT)
    assert proc.returncode == 0, talk
    assert json.loads(out)["as_expected"] is True


@needs_locks
def test_trace_interrupted_with_a_full_pipe(tmp_path, nothing_left):
    """A record that waits for its reader is completed, and the summary follows."""
    ready = tmp_path / "ready"
    os.mkfifo(ready)
    read, write = os.pipe()
    fcntl.fcntl(write, fcntl.F_SETPIPE_SZ, 4096)
    cmd = [RQSPIN, "trace", "--json", "--ready-file", ready]
    proc = subprocess.Popen(cmd, stdout=write, stderr=subprocess.PIPE, text=True)
    os.close(write)
    wait_ready(proc, ready)
    run_sample("aa", "--count", 50)
    deadline = time.monotonic() + LIMIT
    while "pipe_write" not in pathlib.Path(f"/proc/{proc.pid}/wchan").read_text():
        assert time.monotonic() < deadline
    proc.send_signal(signal.SIGINT)
    with open(read) as out:
        lines = [json.loads(line) for line in out]
    talk = proc.communicate(timeout=LIMIT)[1]
    assert proc.returncode == 0, talk
    assert lines[-1]["type"] == "summary" and lines[-1]["shown"] == len(lines) - 1 == 50


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
