#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
"""Cost of `rqspin trace`: off and on runs interleaved, ratio of the medians.

usage: overhead.py [--rounds N] [--json]     (needs root and build/)
"""

import argparse
import contextlib
import json
import os
import pathlib
import re
import shutil
import signal
import statistics
import subprocess
import sys
import tempfile

TOP = pathlib.Path(__file__).resolve().parents[3]
BUILD = TOP / os.environ.get("O", "build")
BPFFS = pathlib.Path("/sys/fs/bpf")
BPFTOOL = os.environ.get("BPFTOOL") or shutil.which("bpftool") or "/usr/sbin/bpftool"

# program -> (runs per sample, highest allowed on/off ratio of the medians)
CASES = {"uncontended": (300, 1.02), "failing": (40, 1.20), "reporting": (40, 1.20)}


@contextlib.contextmanager
def pinned(obj):
    """Load every program of an object below a private bpffs folder."""
    ours = not os.path.ismount(BPFFS)
    if ours:
        subprocess.run(["mount", "-t", "bpf", "bpf", BPFFS], check=True)
    where = BPFFS / f"rqspin-overhead-{os.getpid()}"
    try:
        subprocess.run([BPFTOOL, "prog", "loadall", obj, where], check=True)
        yield where
    finally:
        shutil.rmtree(where, ignore_errors=True)
        if ours:
            subprocess.run(["umount", BPFFS], check=True)


@contextlib.contextmanager
def tracer():
    """A running `rqspin trace`, ready before the body starts."""
    with tempfile.TemporaryDirectory() as tmp:
        ready = pathlib.Path(tmp) / "ready"
        os.mkfifo(ready)
        cmd = [BUILD / "rqspin", "trace", "--json", "--ready-file", ready]
        proc = subprocess.Popen(cmd, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        try:
            with open(ready) as f:
                f.read()
            if proc.poll() is not None:
                raise SystemExit(f"rqspin trace ended with {proc.returncode}")
            yield
        finally:
            proc.send_signal(signal.SIGINT)
            proc.wait(timeout=30)


def run_once(where, prog, repeat):
    """Average ns per run, as the kernel measures it."""
    with tempfile.NamedTemporaryFile() as data:
        data.write(bytes(64))
        data.flush()
        cmd = ["taskset", "-c", "0", BPFTOOL, "prog", "run", "pinned", where / prog]
        cmd += ["data_in", data.name, "repeat", str(repeat)]
        out = subprocess.run(cmd, check=True, capture_output=True, text=True).stdout
    return int(re.search(r"duration \(average\): (\d+)ns", out)[1])


def measure(where, rounds):
    samples = {p: ([], []) for p in CASES}
    for _ in range(rounds):
        for on in (0, 1):
            with tracer() if on else contextlib.nullcontext():
                for prog, (repeat, _limit) in CASES.items():
                    samples[prog][on].append(run_once(where, prog, repeat))
    return samples


def report(samples):
    rows = []
    for prog, (off, on) in samples.items():
        m_off, m_on = statistics.median(off), statistics.median(on)
        ratio, limit = m_on / m_off, CASES[prog][1]
        rows.append(
            {
                "program": prog,
                "off_ns": m_off,
                "on_ns": m_on,
                "ratio": round(ratio, 4),
                "limit": limit,
                "ok": ratio <= limit,
                "rounds": len(off),
            }
        )
    return rows


def main():
    ap = argparse.ArgumentParser(description=__doc__)
    ap.add_argument("--rounds", type=int, default=21)
    ap.add_argument("--json", action="store_true")
    args = ap.parse_args()
    with pinned(BUILD / "selftests/kernel/bench/overhead.bpf.o") as where:
        rows = report(measure(where, args.rounds))
    if args.json:
        json.dump({"schema": "rqspin-overhead/1", "cases": rows}, sys.stdout)
        print()
    else:
        print(f"{'program':12} {'off ns':>12} {'on ns':>12} {'ratio':>8} {'limit':>6}")
        for r in rows:
            print(
                f"{r['program']:12} {r['off_ns']:12.0f} {r['on_ns']:12.0f} "
                f"{r['ratio']:8.3f} {r['limit']:6.2f}"
            )
    return 0 if all(r["ok"] for r in rows) else 1


if __name__ == "__main__":
    sys.exit(main())
