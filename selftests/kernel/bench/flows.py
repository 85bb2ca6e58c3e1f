#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
"""A program that counts packets under one lock per flow: stock kernel and patched one, in guests.

A thread on each virtual CPU sends packets by BPF_PROG_TEST_RUN, 64 of one flow at a time. Each has
16 flows of its own ("own"), all have the same 16 ("shared"), or every second burst goes to one flow
that all have ("hot"). The program times each acquisition, from just before the lock to just after
the unlock. TAP: each packet is counted under a lock or failed, and none failed, because nobody
holds two locks. Times and rates have no target."""

import collections
import sys

from stats import Tap, comparison, guest, in_turn, json_lines, json_save, median_interval

DRIVER = "build/selftests/kernel/bench/flows"
CASES = ("own", "shared", "hot")


def boot(kernel, args):
    """Case -> what one boot measured."""
    runs = [f"{DRIVER} {case} {args.cpus} {args.seconds}" for case in CASES]
    found = json_lines(guest(kernel, " && ".join(runs), "queue", args.cpus, args.timeout))
    return {r["case"]: r for r in found}


def measure(args):
    """(kernel, case) -> what each boot measured."""
    found = collections.defaultdict(list)
    for kernel in in_turn((args.stock, args.ours), args.boots):
        for case, r in boot(kernel, args).items():
            found[kernel, case].append(r)
    return found


def spread(values):
    return dict(zip(("p50", "low", "high"), median_interval(values), strict=True))


def row(kernel, case, boots):
    sums = {k: sum(r[k] for r in boots) for k in ("sent", "counted", "count", "failed", "most")}
    return {
        "kernel": kernel,
        "case": case,
        "threads": boots[0]["threads"],
        **sums,
        "whole": all(r["whole"] for r in boots),
        "errors": {e: sum(r["errors"][e] for r in boots) for e in boots[0]["errors"]},
        "per_second": spread([r["sent"] / r["seconds"] for r in boots]),
        "p50_ns": spread([r["p50"] for r in boots]),
        "p99_ns": spread([r["p99"] for r in boots]),
        "longest_ns": max(r["longest"] for r in boots),
        "boots": boots,
    }


def text_of(values, unit=1):
    return "{p50:.0f} ({low:.0f} .. {high:.0f})".format(**{k: v / unit for k, v in values.items()})


def show(rows):
    print("# median of the boots (range); times are at most 1/16 above the true ones")
    print(f"# {'kernel':17} {'case':6} {'1000 packets/s':22} {'p50 ns':22} {'p99 ns':22} "
          "longest us  busiest flow  errors")  # fmt: skip
    for r in rows:
        errors = {e: n for e, n in r["errors"].items() if n}
        print(
            f"# {r['kernel']:17} {r['case']:6} {text_of(r['per_second'], 1000):22} "
            f"{text_of(r['p50_ns']):22} {text_of(r['p99_ns']):22} "
            f"{r['longest_ns'] / 1000:10.0f} {100 * r['most'] / r['sent']:11.1f} %  {errors or '-'}"
        )


def check(tap, r):
    where = f"{r['kernel']}, {r['case']}"
    tap.check(
        r["counted"] + r["failed"] == r["sent"] == r["count"] and r["whole"],
        f"{where}: of {r['sent']} packets {r['counted']} were counted, {r['failed']} failed",
    )
    tap.check(not r["failed"], f"{where}: nobody fails where no deadlock is: {r['errors']}")


def main():
    ap = comparison(__doc__, boots=3, timeout=300)
    ap.add_argument("--cpus", type=int, default=2, help="at most as many as the machine has")
    ap.add_argument("--seconds", type=int, default=10, help="of each case in a boot")
    args = ap.parse_args()
    found = measure(args)
    rows = [row(k, c, found[k, c]) for c in CASES for k in (args.stock, args.ours)]
    show(rows)
    json_save(args.json, {"schema": "rqspin-flows/1", "rows": rows})
    tap = Tap()
    for r in rows:
        check(tap, r)
    return tap.close()


if __name__ == "__main__":
    sys.exit(main())
