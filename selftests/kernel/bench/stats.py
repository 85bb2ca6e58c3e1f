# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
"""What the measurements have in common: quantiles with intervals, guests."""

import argparse
import contextlib
import json
import math
import os
import pathlib
import shlex
import shutil
import statistics
import subprocess
import sys
import tempfile

TOP = pathlib.Path(__file__).resolve().parents[3]
sys.path.insert(0, str(TOP / "selftests/kernel"))
from tap import Tap  # noqa: E402

__all__ = [
    "TOP",
    "Tap",
    "comparison",
    "counting",
    "guest",
    "in_turn",
    "json_lines",
    "json_save",
    "median_interval",
    "quantile",
]


def quantile(values, q):
    ordered = sorted(values)
    return ordered[min(len(ordered) - 1, math.ceil(q * len(ordered)) - 1)]


def median_interval(values):
    """The median and its 95 % interval by order statistics; below six values it is narrower."""
    ordered, n = sorted(values), len(values)
    # The largest rank with P(fewer than rank values below the median) <= 2.5 %, in whole numbers.
    rank, below = 0, math.comb(n, 0)
    while 40 * below <= 2**n:
        rank += 1
        below += math.comb(n, rank)
    low = max(rank - 1, 0)
    return statistics.median(ordered), ordered[low], ordered[n - 1 - low]


def guest(kernel, command, cpu="queue", cpus=4, limit=600, env=None):
    """What a shell command prints in a guest; ends the script if it fails."""
    cmd = [TOP / "selftests/vm/run.sh", "--kernel", kernel, "--cpu", cpu, "--cpus", str(cpus)]
    cmd += ["--timeout", str(limit), "--", command]
    out = subprocess.run(cmd, stdout=subprocess.PIPE, text=True, check=False, cwd=TOP, env=env)
    if out.returncode:
        sys.exit(f"guest {kernel}: status {out.returncode}")
    return out.stdout


def in_turn(kernels, boots):
    """The kernels of all boots: in turn, every second time the other way round."""
    for i in range(boots):
        yield from kernels[:: 1 if i % 2 == 0 else -1]


def json_lines(text):
    return [json.loads(line) for line in text.splitlines() if line.startswith("{")]


def json_save(path, figures):
    if path:
        with open(path, "w") as f:
            json.dump(figures, f, indent=1)


def comparison(doc, **defaults):
    """Options of scripts that compare a stock kernel with the patched one."""
    ap = argparse.ArgumentParser(description=doc.split("\n", 1)[0])
    ap.add_argument("--stock", default="debian-7")
    ap.add_argument("--ours", default="6.12-rqspin-lean")
    ap.add_argument("--boots", type=int, help="of each kernel")
    ap.add_argument("--timeout", type=int, help="seconds for one guest")
    ap.add_argument("--json", metavar="FILE")
    ap.set_defaults(**defaults)
    return ap


@contextlib.contextmanager
def counting():
    """An environment whose QEMU counts instructions: 1 ns of guest time for each of them."""
    qemu = shutil.which("qemu-system-x86_64")
    if not qemu:
        sys.exit("no qemu-system-x86_64: run scripts/setup.sh")
    with tempfile.TemporaryDirectory() as tmp:
        wrapper = os.path.join(tmp, "qemu-system-x86_64")
        with open(wrapper, "w") as f:
            f.write(f'#!/bin/sh\nexec {shlex.quote(qemu)} "$@" -icount shift=0,sleep=off\n')
        os.chmod(wrapper, 0o755)
        # Only the emulator counts, and QEMU refuses the rest.
        path = f"{tmp}:{os.environ['PATH']}"
        yield {"RQSPIN_BOOT_LIMIT": "600", **os.environ, "PATH": path, "RQSPIN_ACCEL": "tcg"}
