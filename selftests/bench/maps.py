#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
"""Throughput of hash map updates: a patched kernel beside the unpatched one, in guests.

Both are booted in turn, A B B A. In every boot each case runs several rounds; the boot counts with
their median, a pair of boots with the ratio of both, and the verdict is on the median of the pairs
(95 % interval by order statistics, from six pairs on). Limit: 97 % of the unpatched throughput.

--clock instructions (default) lets QEMU count: one instruction is one tick, and one virtual CPU
runs at a time. What else the machine does makes no difference. Not seen are cache misses and the
price of atomic instructions, of which the series adds two to update_hash: no verdict on that.
--clock wall takes real time: for a quiet machine only."""

import argparse
import contextlib
import json
import os
import shlex
import shutil
import statistics
import sys
import tempfile

from stats import Tap, guest, median_interval

LIMIT = 0.97


@contextlib.contextmanager
def counting():
    """An environment whose QEMU counts instructions: 1 ns of guest time for each of them."""
    qemu = shutil.which("qemu-system-x86_64")
    if not qemu:
        sys.exit("maps: no qemu-system-x86_64: run scripts/setup.sh")
    with tempfile.TemporaryDirectory() as tmp:
        wrapper = os.path.join(tmp, "qemu-system-x86_64")
        with open(wrapper, "w") as f:
            f.write(f'#!/bin/sh\nexec {shlex.quote(qemu)} "$@" -icount shift=0,sleep=off\n')
        os.chmod(wrapper, 0o755)
        # Only the emulator counts, and QEMU refuses the rest.
        yield {**os.environ, "PATH": f"{tmp}:{os.environ['PATH']}", "RQSPIN_ACCEL": "tcg"}


def boot(kernel, args, env):
    """(program, threads) -> median of the ticks per update in one boot."""
    driver = "build/selftests/bench/maps"
    runs = [f"{driver} {n} {args.rounds} {args.batches}" for n in args.threads]
    text = guest(kernel, " && ".join(runs), args.cpu, max(args.threads), args.timeout, env)
    ticks = {}
    for line in text.splitlines():
        r = json.loads(line)
        ticks.setdefault((r["program"], r["threads"]), []).append(r["ticks"])
    return {case: statistics.median(v) for case, v in ticks.items()}


def measure(args, env):
    """Pairs of boots, every second pair the other way round."""
    pairs = []
    for i in range(args.pairs):
        order = (args.base, args.ours) if i % 2 == 0 else (args.ours, args.base)
        found = {kernel: boot(kernel, args, env) for kernel in order}
        pairs.append((found[args.base], found[args.ours]))
        ratios = (
            f"{c[0]}/{c[1]} {v / found[args.ours][c]:.3f}" for c, v in found[args.base].items()
        )
        print(f"# pair {i + 1} of {args.pairs}: {', '.join(ratios)}", flush=True)
    return pairs


def rows(pairs):
    out = []
    for case in pairs[0][0]:
        middle, low, high = median_interval([base[case] / ours[case] for base, ours in pairs])
        row = {"program": case[0], "threads": case[1]}
        row["base_ticks"] = statistics.median(base[case] for base, _ in pairs)
        row["ours_ticks"] = statistics.median(ours[case] for _, ours in pairs)
        row |= {"ratio": round(middle, 4), "low": round(low, 4), "high": round(high, 4)}
        out.append(row)
    return out


def report(table, args):
    print(f"# ticks per update ({args.clock}); throughput of {args.ours} / {args.base}")
    print(f"# {'program':16} {'threads':>7} {'base':>9} {'ours':>9} {'ratio':>7}  interval")
    for r in table:
        print(
            f"# {r['program']:16} {r['threads']:7} {r['base_ticks']:9.1f} {r['ours_ticks']:9.1f} "
            f"{r['ratio']:7.3f}  {r['low']:.3f} .. {r['high']:.3f}"
        )
    tap = Tap()
    for r in table:
        what = f"{r['program']}, {r['threads']} threads: {r['ratio']:.3f} of the throughput"
        tap.check(r["ratio"] >= LIMIT, f"{what} (at least {LIMIT})")
    return tap.close()


def main():
    ap = argparse.ArgumentParser(description=__doc__.split("\n", 1)[0])
    ap.add_argument("--base", default="6.12-rqspin-base")
    ap.add_argument("--ours", default="6.12-rqspin-lean")
    ap.add_argument("--clock", choices=("instructions", "wall"), default="instructions")
    ap.add_argument("--cpu", choices=("queue", "tas"), default="queue")
    ap.add_argument("--threads", type=int, nargs="+", default=[1, 4])
    ap.add_argument("--pairs", type=int, default=6, help="boots of each kernel")
    ap.add_argument("--rounds", type=int, default=9, help="in each boot")
    ap.add_argument("--batches", type=int, default=20, help="of 1000 updates, per thread and round")
    ap.add_argument("--timeout", type=int, default=400)
    ap.add_argument("--json", metavar="FILE")
    args = ap.parse_args()
    with counting() if args.clock == "instructions" else contextlib.nullcontext() as env:
        table = rows(measure(args, env))
    if args.json:
        with open(args.json, "w") as f:
            json.dump({"schema": "rqspin-maps/1", "clock": args.clock, "cases": table}, f)
    return report(table, args)


if __name__ == "__main__":
    sys.exit(main())
