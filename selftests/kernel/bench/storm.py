#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
"""What a deadlock costs those who are not in it: stock kernel and patched one, in guests.

Two CPUs run into the same ABBA deadlock, round after round, or do nothing. Bystanders on other CPUs
take one lock at a time: each its own, or all of them one of the two of the deadlock. QEMU counts
instructions (as in waits.py): one virtual CPU runs at a time, so the time of an acquisition is its
own instructions, and those of all others if its CPU waits or loses its turn. TAP: a bystander's
median of a lock of its own is with a storm at most 1.1 times that without. On the patched kernel
each round ends with -EDEADLK, and no bystander fails."""

import collections
import statistics
import sys

from stats import Tap, comparison, counting, guest, in_turn, json_lines, json_save

DRIVER = "build/selftests/kernel/bench/storm"
STORMS, LOCKS = ("none", "abba"), ("own", "shared")
MOST = 1.1
ENOUGH = 10  # rounds of a boot


def boot(kernel, args, env):
    command = " && ".join(
        f"{DRIVER} {storm} {lock} {args.bystanders} {args.seconds}"
        for lock in LOCKS
        for storm in STORMS
    )
    return json_lines(guest(kernel, command, "queue", 2 + args.bystanders, args.timeout, env))


def measure(args):
    """(kernel, lock, storm) -> what each boot measured."""
    found = collections.defaultdict(list)
    with counting() as env:
        for kernel in in_turn((args.stock, args.ours), args.boots):
            for r in boot(kernel, args, env):
                found[kernel, r["lock"], r["storm"]].append(r)
    return found


def summed(boots, key):
    return {k: sum(r[key][k] for r in boots) for k in boots[0][key]}


def row(key, boots):
    out = dict(zip(("kernel", "lock", "storm"), key, strict=True))
    out |= {k: sum(r[k] for r in boots) for k in ("count", "counted", "failed")}
    out |= {f"{k}_ns": statistics.median(r[k] for r in boots) for k in ("p50", "p99")}
    out |= {"longest_ns": max(r["longest"] for r in boots)}
    out |= {k: summed(boots, k) for k in ("errors", "rounds")}
    return out | {"boots": boots}


def show(rows):
    print("# bystanders, in instructions; p50 and p99 are at most 1/16 above the true ones")
    print(f"# {'kernel':17} {'lock':6} {'storm':5} {'acquisitions':>12} {'p50':>7} {'p99':>9} "
          f"{'longest':>11}  errors; rounds of the storm")  # fmt: skip
    for r in rows:
        errors, rounds = ({k: n for k, n in r[key].items() if n} for key in ("errors", "rounds"))
        print(
            f"# {r['kernel']:17} {r['lock']:6} {r['storm']:5} {r['count']:12} {r['p50_ns']:7.0f} "
            f"{r['p99_ns']:9.0f} {r['longest_ns']:11}  {errors or '-'}; {rounds or '-'}"
        )


def check_sums(tap, r):
    tap.check(
        r["counted"] + r["failed"] == r["count"],
        f"{r['kernel']}, {r['lock']}, {r['storm']}: of {r['count']} acquisitions {r['counted']} "
        f"counted, {r['failed']} failed",
    )


def check_own(tap, kernel, table):
    calm, storm = (table[kernel, "own", s] for s in STORMS)
    ratio = storm["p50_ns"] / calm["p50_ns"]
    tap.check(
        ratio <= MOST,
        f"{kernel}: a lock of one's own takes {ratio:.2f} times as long (at most {MOST})",
    )
    tap.check(
        not calm["failed"] + storm["failed"],
        f"{kernel}: nobody fails who has a lock of his own: {storm['errors']}",
    )


def check_rounds(tap, r, boots):
    rounds = r["rounds"]
    tap.check(
        rounds["EDEADLK"] >= ENOUGH * boots and not rounds["other"] + rounds["ETIMEDOUT"],
        f"{r['kernel']}, {r['lock']}: each deadlock ends with -EDEADLK: {rounds}",
    )


def judge(table, args):
    tap = Tap()
    for r in table.values():
        check_sums(tap, r)
    for kernel in (args.stock, args.ours):
        check_own(tap, kernel, table)
    for lock in LOCKS:
        check_rounds(tap, table[args.ours, lock, "abba"], args.boots)
    shared = table[args.ours, "shared", "abba"]
    tap.check(not shared["failed"], f"{args.ours}: no bystander fails: {shared['errors']}")
    return tap.close()


def main():
    ap = comparison(__doc__, boots=2, timeout=600)
    ap.add_argument("--bystanders", type=int, default=2, help="each has a virtual CPU")
    ap.add_argument("--seconds", type=int, default=2, help="of each case, by the guest's clock")
    args = ap.parse_args()
    found = measure(args)
    keys = [(k, lock, s) for lock in LOCKS for k in (args.stock, args.ours) for s in STORMS]
    table = {key: row(key, found[key]) for key in keys}
    show(table.values())
    json_save(args.json, {"schema": "rqspin-storm/1", "rows": list(table.values())})
    return judge(table, args)


if __name__ == "__main__":
    sys.exit(main())
