#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
"""How long a deadlock lasts before it is found: a stock kernel and the patched one, in guests.

The stock kernel runs the samples abba and abbcca, whose programs time the acquisition that fails;
the patched one its KUnit suite, which takes the time from the moment when the cycle was closed.
Both in the same emulated machine. TAP; figures in comments."""

import argparse
import json
import re
import statistics
import subprocess
import sys
from pathlib import Path

TOP = Path(__file__).resolve().parents[2]
RATIO = 20
STOCK_LIMIT_NS = 250_000_000  # what a cycle of three waits for there


class Tap:
    def __init__(self):
        self.count = self.failed = 0

    def check(self, good, text):
        self.count += 1
        self.failed += not good
        print(f"{'ok' if good else 'not ok'} {self.count} - {text}", flush=True)

    def close(self):
        print(f"1..{self.count}")
        print(f"{self.count - self.failed} passed, {self.failed} failed, 0 skipped")
        return bool(self.failed)


def guest(kernel, cpus, *command):
    cmd = [TOP / "selftests/vm/run.sh", "--kernel", kernel, "--cpus", str(cpus), "--", *command]
    out = subprocess.run(cmd, stdout=subprocess.PIPE, text=True, check=False, cwd=TOP)
    if out.returncode not in (0, 1):
        sys.exit(f"compare: guest {kernel}: status {out.returncode}")
    return out.stdout


def stock_failures(kernel, cpus, sample, count):
    """The median of the failed acquisitions, and how many failed in which way."""
    text = guest(kernel, cpus, "build/rqspin", "run", sample, "--count", str(count), "--json")
    roles = json.loads(text[text.index("{") :])["roles"]
    kinds = {k: sum(r["failures"][k] for r in roles) for k in ("EDEADLK", "ETIMEDOUT")}
    failed = [r["latency_ns"]["failed"]["p50"] for r in roles if r["failed"]]
    if not failed:
        sys.exit(f"compare: {sample} on {kernel}: nothing failed")
    return statistics.median(failed), kinds


def ours_found(kernel, cpus):
    """What the KUnit suite says about its rings: name to median."""
    text = guest(kernel, cpus, "selftests/lock/guest.sh", "1", "kunit")
    found = re.findall(r"^# kunit (\w+): found after (\d+) ns", text, re.M)
    failed = re.findall(r"^not ok - (kunit .*)$", text, re.M)
    if failed or not found:
        sys.exit(f"compare: KUnit on {kernel}: {', '.join(failed) or 'no figures'}")
    return {name: int(ns) for name, ns in found}


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n", 1)[0])
    parser.add_argument("--stock", default="debian-7", help="kernel of selftests/vm/kernels.conf")
    parser.add_argument("--ours", default="6.12-rqspin")
    parser.add_argument("--cpus", type=int, default=4)
    parser.add_argument("--count", type=int, default=100, help="rounds of ABBA")
    args = parser.parse_args()

    abba, kinds = stock_failures(args.stock, args.cpus, "abba", args.count)
    ring, ring_kinds = stock_failures(args.stock, args.cpus, "abbcca", 5)
    ours = ours_found(args.ours, args.cpus)
    print(
        f"# {args.stock}: ABBA {abba / 1000:.0f} us {kinds}, cycle of 3 {ring / 1000:.0f} us",
        end="",
    )
    print(f" {ring_kinds}")
    print(f"# {args.ours}: " + ", ".join(f"{k} {v / 1000:.1f} us" for k, v in ours.items()))
    tap = Tap()
    times = abba / ours["abba"]
    tap.check(times >= RATIO, f"ABBA is found {times:.0f} times as fast (at least {RATIO})")
    tap.check(
        ring >= STOCK_LIMIT_NS > 1000 * ours["cycle3"],
        f"a cycle of three is found after {ours['cycle3'] / 1000:.0f} us; "
        f"{args.stock} waits {ring / 1e6:.0f} ms for a time limit",
    )
    return tap.close()


if __name__ == "__main__":
    sys.exit(main())
