#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
"""How long a deadlock lasts before it is found: a stock kernel and the patched one, in guests.

Both run the samples abba and abbcca in the same emulated machine: what a program that fails has
lost, from its first lock to its last unlock, its wait for the other side included. The patched one
runs its KUnit suite, too, which takes the time inside the kernel from the moment when the cycle
was closed. TAP; figures in comments."""

import argparse
import json
import re
import statistics
import sys

from stats import Tap, guest

RATIO = 20
STOCK_LIMIT_NS = 250_000_000  # what a cycle of three waits for there


def failures(kernel, cpus, sample, count):
    """The median of the programs that failed, in ns, and how many failed in which way."""
    text = guest(kernel, f"build/rqspin run {sample} --count {count} --json", cpus=cpus)
    roles = json.loads(text[text.index("{") :])["roles"]
    kinds = {k: sum(r["failures"][k] for r in roles) for k in ("EDEADLK", "ETIMEDOUT")}
    failed = [r["latency_ns"]["failed"]["p50"] for r in roles if r["failed"]]
    if not failed:
        sys.exit(f"cycles: {sample} on {kernel}: nothing failed")
    return statistics.median(failed), kinds


def ours_found(kernel, cpus):
    """What the KUnit suite says about its rings: name to median."""
    text = guest(kernel, "selftests/kernel/lock/guest.sh 1 kunit", cpus=cpus)
    found = re.findall(r"^# kunit (\w+): found after (\d+) ns", text, re.M)
    if not found:
        sys.exit(f"cycles: KUnit on {kernel}: no figures")
    return {name: int(ns) for name, ns in found}


def judge(args, figures):
    tap = Tap()
    stock, ours = figures[args.stock, "abba"][0], figures[args.ours, "abba"][0]
    times = stock / ours
    tap.check(times >= RATIO, f"ABBA costs {times:.0f} times as much (at least {RATIO}) there")
    stock, ours = figures[args.stock, "abbcca"][0], figures[args.ours, "abbcca"][0]
    timeouts = figures[args.ours, "abbcca"][1]["ETIMEDOUT"]
    tap.check(
        stock >= STOCK_LIMIT_NS > 20 * ours and not timeouts,
        f"a cycle of three costs {ours / 1000:.0f} us; "
        f"{args.stock} waits {stock / 1e6:.0f} ms for a time limit",
    )
    return tap.close()


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n", 1)[0])
    parser.add_argument("--stock", default="debian-7", help="kernel of selftests/vm/kernels.conf")
    parser.add_argument("--ours", default="6.12-rqspin")
    parser.add_argument("--cpus", type=int, default=4)
    parser.add_argument("--count", type=int, default=100, help="rounds of ABBA")
    args = parser.parse_args()

    figures = {}
    for kernel in (args.stock, args.ours):
        for sample, count in (("abba", args.count), ("abbcca", 5)):
            ns, kinds = failures(kernel, args.cpus, sample, count)
            print(f"# {kernel}: {sample}: {ns / 1000:.0f} us, {kinds}")
            figures[kernel, sample] = ns, kinds
    closed = ours_found(args.ours, args.cpus)
    inside = ", ".join(f"{k} {v / 1000:.1f} us" for k, v in closed.items())
    print(f"# {args.ours}, in the kernel: {inside}")
    return judge(args, figures)


if __name__ == "__main__":
    sys.exit(main())
