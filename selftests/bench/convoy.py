#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
"""Throughput of one lock that all threads want: stock kernel and patched one, in guests.

Four virtual CPUs share the machine's two. A BPF program locks, counts, unlocks. In the first two
boots of a round the guest does not know that it is virtual: its waiters queue. In the third the
patched kernel has its queue for virtual machines. Every second round goes the other way round. With
more threads than CPUs a convoy forms and dissolves by chance, and the rate of a few seconds differs
by a factor of ten within one boot, on every kernel: so each boot measures many times, in turn with
every number of threads, and its rate is that of all these runs together. TAP: with each number of
threads the median ratio of a round, patched to stock, is at least 1; with the most threads that of
hybrid to queue is at least 10. With the fewest threads the same program is run with an ordinary
spin lock, too: qspinlock, in both kernels. Its ratio says how much these differ apart from the
resilient locks."""

import argparse
import json
import sys

from stats import Tap, guest, median_interval

LEAST = 1.0
LEAST_HYBRID = 10.0
DRIVER = "build/selftests/bench/convoy"


def boot(kernel, path, args):
    """Threads, or "ordinary" -> what one boot measured, all runs together."""
    runs = [f"{DRIVER} {n} {args.seconds}" for n in args.threads]
    if path != "hybrid":
        runs.append(f"{DRIVER} {min(args.threads)} {args.seconds} ordinary")
    runs *= args.runs
    text = guest(kernel, " && ".join(runs), path, args.cpus, args.timeout)
    found = [json.loads(line) for line in text.splitlines() if line.startswith("{")]
    groups = {}
    for r in found:
        groups.setdefault("ordinary" if r["lock"] == "ordinary" else r["threads"], []).append(r)
    return {group: together(runs) for group, runs in groups.items()}


def together(runs):
    sums = {k: sum(r[k] for r in runs) for k in ("acquired", "seconds", "failed")}
    return {**sums, "longest_ns": max(r["longest_ns"] for r in runs)}


def measure(args):
    """Per round of boots: (kernel, path) -> threads -> figures."""
    rounds = []
    for i in range(args.boots):
        order = args.modes[:: 1 if i % 2 == 0 else -1]
        rounds.append({mode: boot(*mode, args) for mode in order})
    return rounds


def rate(r):
    return r["acquired"] / r["seconds"]


def row(rounds, mode, threads, lock="resilient"):
    runs = [r[mode][threads if lock == "resilient" else lock] for r in rounds]
    middle, low, high = median_interval([rate(r) for r in runs])
    return {
        "kernel": mode[0],
        "path": mode[1],
        "lock": lock,
        "threads": threads,
        "per_second": {"p50": middle, "low": low, "high": high},
        "failed": sum(r["failed"] for r in runs),
        "longest_timed_ns": max(r["longest_ns"] for r in runs),
    }


def show(rows):
    columns = "path    lock       threads  1000/s: p50 (interval)  failed  longest timed ms"
    print(f"# {'kernel':17} {columns}")
    for r in rows:
        k = {name: f"{v / 1000:.1f}" for name, v in r["per_second"].items()}
        longest = r["longest_timed_ns"] / 1e6
        print(
            f"# {r['kernel']:17} {r['path']:6}  {r['lock']:9} {r['threads']:8}  "
            f"{k['p50']} ({k['low']} .. {k['high']})  {r['failed']}  {longest:.1f}"
        )


def check(tap, rounds, threads, modes, least):
    """Modes: of which the ratio is, and to which."""
    ratios = [rate(r[modes[0]][threads]) / rate(r[modes[1]][threads]) for r in rounds]
    middle, low, high = median_interval(ratios)
    one, other = (" ".join(mode) for mode in modes)
    tap.check(
        middle >= least,
        f"{threads} threads: {one}: {middle:.2f} ({low:.2f} .. {high:.2f}) x {other}, "
        f"{len(rounds)} rounds of boots (at least {least})",
    )


def show_kernels(rounds, args):
    stock, ours, _ = args.modes
    n = min(args.threads)
    kernels = [rate(r[ours]["ordinary"]) / rate(r[stock]["ordinary"]) for r in rounds]
    ratios = [rate(r[ours][n]) / rate(r[stock][n]) for r in rounds]
    lock = [both / kernel for both, kernel in zip(ratios, kernels, strict=True)]
    for what, values in (
        (f"{n} threads, ordinary lock: {ours[0]} x {stock[0]}", kernels),
        (f"{n} threads, resilient lock: its ratio divided by that", lock),
    ):
        middle, low, high = median_interval(values)
        print(f"# {what}: {middle:.2f} ({low:.2f} .. {high:.2f})")


def judge(tap, rounds, args):
    stock, ours, hybrid = args.modes
    for n in args.threads:
        check(tap, rounds, n, (ours, stock), LEAST)
    check(tap, rounds, max(args.threads), (hybrid, ours), LEAST_HYBRID)


def main():
    ap = argparse.ArgumentParser(description=__doc__.split("\n", 1)[0])
    ap.add_argument("--stock", default="debian-7")
    ap.add_argument("--ours", default="6.12-rqspin-lean")
    ap.add_argument("--cpus", type=int, default=4)
    ap.add_argument("--boots", type=int, default=5, help="rounds of boots")
    ap.add_argument("--threads", type=int, nargs="+", default=[2, 4, 8])
    ap.add_argument("--runs", type=int, default=10, help="per boot and number of threads")
    ap.add_argument("--seconds", type=int, default=3, help="of a run")
    ap.add_argument("--timeout", type=int, default=900)
    ap.add_argument("--json", metavar="FILE")
    args = ap.parse_args()
    args.modes = ((args.stock, "queue"), (args.ours, "queue"), (args.ours, "hybrid"))
    rounds = measure(args)
    rows = [row(rounds, mode, n) for n in args.threads for mode in args.modes]
    rows += [row(rounds, mode, min(args.threads), "ordinary") for mode in args.modes[:2]]
    show(rows)
    show_kernels(rounds, args)
    if args.json:
        with open(args.json, "w") as f:
            json.dump(
                {"schema": "rqspin-convoy/5", "runs_per_boot": args.runs, "rows": rows}, f, indent=1
            )
    tap = Tap()
    judge(tap, rounds, args)
    return tap.close()


if __name__ == "__main__":
    sys.exit(main())
