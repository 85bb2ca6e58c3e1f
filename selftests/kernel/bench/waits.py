#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
"""What a wait costs on the patched kernel: its own time, and the interrupts of its CPU, in guests.

QEMU counts instructions (as in maps.py), so what else the machine does makes no difference. Limits:
16 waiters come 50 ms apart, each owner holds the lock for 200 ms. The first waits at the pending
bit, the others in the queue. The last waits for much longer than a time limit, but the lock changes
hands all the time: nobody may fail, or lose its place to somebody who came later. Interrupts: 2, 4
and 8 waiters want one lock all the time, and hold it long enough that the others queue. Of each
function of the lock the longest but 1 % of the stretches with interrupts off counts, because a
virtual CPU can lose its turn in a stretch."""

import argparse
import sys

from stats import Tap, counting, guest, json_lines, json_save

MS = 1_000_000
WAITERS, APART_MS, HOLD_MS = 16, 50, 200
RATIO = 1.2
ENOUGH = 1000  # stretches of a function, for a hundredth of them


def run(args, env, kernel, cpus, *command):
    command = " ".join(map(str, command))
    return json_lines(guest(kernel, command, "queue", cpus, args.timeout, env))


def judge_limits(tap, waits):
    longest = max(w["ns"] for w in waits)
    failed = [w for w in waits if w["ret"]]
    turns = [w["turn"] for w in waits if not w["ret"]]
    print(f"# {len(waits)} waiters: {len(turns)} acquired, {len(failed)} timed out; longest "
          f"{longest / MS:.1f} ms")  # fmt: skip
    tap.check(not failed, f"nobody fails while the lock moves: {failed}")
    tap.check(turns == list(range(2, 2 + len(turns))) and turns, f"all keep their order: {turns}")


def longest(result):
    """The function with the longest stretches, and how long they are."""
    enough = [f for f in result["functions"] if f["count"] >= ENOUGH]
    return max(((f["p99"], f["function"]) for f in enough), default=(0, "none"))


def print_stretches(r):
    print(f"# {r['threads'] - 1} waiters, {r['acquired']} acquisitions: ns with interrupts off")
    if r["unrecorded"]:
        print(f"# {r['unrecorded']} stretches are in no line: too many places turn interrupts off")
    for f in sorted(r["functions"], key=lambda f: -f["p99"]):
        print(f"#   {f['function']:40} {f['count']:8}  p50 {f['p50']:6}  p99 {f['p99']:6}  "
              f"longest {f['longest']}")  # fmt: skip
        counts = "  ".join(f"{ns}: {count}" for ns, count in f["histogram"])
        print(f"#     less than .. ns: {counts}")


def judge_interrupts(tap, results):
    for r in results:
        print_stretches(r)
        ns, name = longest(r)
        tap.check(ns and not r["unrecorded"], f"{r['threads'] - 1} waiters: {ns} ns in {name}")
    most = [longest(r)[0] for r in results]
    ratio = max(most) / min(most) if min(most) else float("inf")
    tap.check(
        ratio <= RATIO,
        f"the longest does not grow with the waiters: {ratio:.2f} (at most {RATIO})",
    )


def print_only(stretches):
    for r in stretches:
        print_stretches(r)
        if not r["functions"]:
            print("# none: no function of the lock has turned interrupts off and on")
    return int(any(r["unrecorded"] for r in stretches))


def judge(limits, stretches):
    tap = Tap()
    judge_limits(tap, limits["waits"])
    judge_interrupts(tap, stretches)
    return tap.close()


def main():
    ap = argparse.ArgumentParser(description=__doc__.split("\n", 1)[0])
    ap.add_argument("--kernel", default="6.12-rqspin-lean")
    ap.add_argument("--traced", default="6.12-rqspin-irqsoff", help="has CONFIG_TRACE_IRQFLAGS")
    ap.add_argument("--waiters", type=int, nargs="+", default=[2, 4, 8])
    ap.add_argument("--seconds", type=int, default=1, help="by the clock of the guest")
    ap.add_argument("--timeout", type=int, default=900)
    ap.add_argument("--json", metavar="FILE")
    ap.add_argument(
        "--print", action="store_true", help="only print the stretches of --traced, without a bound"
    )
    args = ap.parse_args()
    driver = "build/selftests/kernel/bench/"
    runs = " && ".join(f"{driver}irqs_off {n + 1} {args.seconds}" for n in args.waiters)
    limits = {}
    with counting() as env:
        stretches = run(args, env, args.traced, max(args.waiters) + 1, runs)
        if not args.print:
            limits = run(args, env, args.kernel, WAITERS + 2,
                         driver + "deadlines", WAITERS, APART_MS, HOLD_MS)[0]  # fmt: skip
    if len(stretches) != len(args.waiters):
        sys.exit(f"{len(stretches)} results of {len(args.waiters)}")
    json_save(args.json, {"schema": "rqspin-waits-cost/1", **limits, "runs": stretches})
    return print_only(stretches) if args.print else judge(limits, stretches)


if __name__ == "__main__":
    sys.exit(main())
