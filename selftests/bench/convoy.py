#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
"""Throughput of one lock that all threads want: stock kernel and patched one, in guests.

Four virtual CPUs share the machine's two, and the guest does not know that it is virtual: its
waiters queue. A BPF program locks, counts, unlocks. The kernels are booted in turn, every second
pair the other way round. TAP: with each number of threads the median ratio of a pair, patched to
stock, is at least 1."""

import argparse
import collections
import json
import sys

from stats import Tap, guest, median_interval

LEAST = 1.0
DRIVER = "build/selftests/bench/convoy"


def boot(kernel, args):
    """Threads -> what one boot measured."""
    runs = [f"{DRIVER} {n} {args.seconds}" for n in args.threads]
    text = guest(kernel, " && ".join(runs), args.path, args.cpus, args.timeout)
    found = [json.loads(line) for line in text.splitlines() if line.startswith("{")]
    return {r["threads"]: r for r in found}


def measure(args):
    """Per pair of boots: kernel -> threads -> figures."""
    pairs = []
    for i in range(args.boots):
        order = (args.stock, args.ours)[:: 1 if i % 2 == 0 else -1]
        pairs.append({kernel: boot(kernel, args) for kernel in order})
    return pairs


def rate(r):
    return r["acquired"] / r["seconds"]


def row(pairs, kernel, threads):
    runs = [p[kernel][threads] for p in pairs]
    middle, low, high = median_interval([rate(r) for r in runs])
    return {
        "kernel": kernel,
        "threads": threads,
        "per_second": {"p50": middle, "low": low, "high": high},
        "failed": sum(r["failed"] for r in runs),
        "longest_ns": max(r["longest_ns"] for r in runs),
    }


def show(rows):
    print(f"# {'kernel':17} threads  1000/s: p50 (interval)  failed  longest, ms")
    for r in rows:
        k = {name: f"{v / 1000:.1f}" for name, v in r["per_second"].items()}
        print(
            f"# {r['kernel']:17} {r['threads']:7}  {k['p50']} ({k['low']} .. {k['high']})  "
            f"{r['failed']}  {r['longest_ns'] / 1e6:.1f}"
        )


def judge(tap, pairs, args):
    ratios = collections.defaultdict(list)
    for p in pairs:
        for n in args.threads:
            ratios[n].append(rate(p[args.ours][n]) / rate(p[args.stock][n]))
    for n, all_of_n in ratios.items():
        middle, low, high = median_interval(all_of_n)
        tap.check(
            middle >= LEAST,
            f"{n} threads: {middle:.2f} ({low:.2f} .. {high:.2f}) x {args.stock}, "
            f"{len(all_of_n)} pairs of boots (at least {LEAST})",
        )


def main():
    ap = argparse.ArgumentParser(description=__doc__.split("\n", 1)[0])
    ap.add_argument("--stock", default="debian-7")
    ap.add_argument("--ours", default="6.12-rqspin-lean")
    ap.add_argument("--path", choices=("queue", "tas"), default="queue")
    ap.add_argument("--cpus", type=int, default=4)
    ap.add_argument("--boots", type=int, default=5, help="of each kernel")
    ap.add_argument("--threads", type=int, nargs="+", default=[2, 4, 8])
    ap.add_argument("--seconds", type=int, default=5)
    ap.add_argument("--timeout", type=int, default=300)
    ap.add_argument("--json", metavar="FILE")
    args = ap.parse_args()
    pairs = measure(args)
    rows = [row(pairs, k, n) for n in args.threads for k in (args.stock, args.ours)]
    show(rows)
    if args.json:
        with open(args.json, "w") as f:
            json.dump({"schema": "rqspin-convoy/1", "rows": rows}, f, indent=1)
    tap = Tap()
    judge(tap, pairs, args)
    return tap.close()


if __name__ == "__main__":
    sys.exit(main())
