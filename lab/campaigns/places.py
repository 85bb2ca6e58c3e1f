# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
"""Runs the command of a cell in its place, and returns the result that it printed."""

import json
import os
import signal
import subprocess

import quality
from errors import CampaignError
from machine import TOP

LIMIT_S = 1800


def _kill(proc):
    """Ends the command and all processes that it has started."""
    try:
        os.killpg(proc.pid, signal.SIGTERM)
        proc.wait(timeout=20)
    except ProcessLookupError:
        pass
    except subprocess.TimeoutExpired:
        os.killpg(proc.pid, signal.SIGKILL)
        proc.wait()


def _capture(argv):
    with subprocess.Popen(
        argv, stdout=subprocess.PIPE, text=True, cwd=TOP, start_new_session=True
    ) as proc:
        try:
            out, _ = proc.communicate(timeout=LIMIT_S)
        except BaseException:
            _kill(proc)
            raise
    return proc.returncode, out


def _check_cpus(cell, wanted):
    """With four virtual CPUs on two CPUs, the same kernel differed 40 times between boots."""
    there = len(os.sched_getaffinity(0))
    if wanted > there:
        raise CampaignError(
            f"{cell}: a guest with {wanted} virtual CPUs on {there}: its figures would say when "
            "they were preempted"
        )


def _argv(cell):
    if cell.place == "host":
        # A cell does not outlive the process that wants its result, even if that is killed.
        return ["setpriv", "--pdeathsig", "KILL", "bash", "-c", cell.command]
    kernel, path, cpus = cell.place.split()
    _check_cpus(cell, int(cpus))
    return [
        "selftests/vm/run.sh", "--kernel", kernel, "--cpu", path, "--cpus", cpus,
        "--timeout", str(LIMIT_S - 300), "--", cell.command,
    ]  # fmt: skip


def _result(out):
    """The last line that is an object of JSON: other lines may be messages."""
    for line in reversed(out.splitlines()):
        if line.startswith("{"):
            return json.loads(line)
    raise ValueError("it printed no line of JSON")


def _measure(cell):
    with quality.Watch() as watch:
        try:
            status, out = _capture(_argv(cell))
            if status:
                raise ValueError(f"status {status}")
            result = _result(out)
        except (ValueError, OSError, subprocess.TimeoutExpired) as err:
            raise CampaignError(f"{cell}: {cell.command}: {err}") from None
        return {"result": result, **watch.facts()}


def run(cell):
    """The outcome of a cell for its file: the first quiet try, or else the quietest one."""
    outcomes = [_measure(cell)]
    while quality.disturbed(outcomes[-1]) and len(outcomes) < cell.tries:
        if outcomes[-1]["seconds"] > cell.again_s:
            break
        outcomes.append(_measure(cell))
    quiet = [o for o in outcomes if not quality.disturbed(o)]
    best = quiet[0] if quiet else min(outcomes, key=quality.disturbance)
    return {**best, "tries": len(outcomes)}
