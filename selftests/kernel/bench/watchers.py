#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
"""What the tool's watchers cost those who do not wait: updates of maps, in guests.

One thread updates maps that nobody else uses, alone and while one of the watchers of watchers.sh
runs, in turn. QEMU counts instructions, and the least of several rounds counts, so what else the
machine or the watcher does makes no difference. Not seen are cache misses and the price of atomic
instructions. TAP: watchers of waits, and of failures without those of maps, run nothing in an
update that need not wait: at most 1.01 times as many instructions. The others run a program in
each operation of a map: their cost is in the table, without a limit."""

import argparse
import json
import sys

from stats import Tap, counting, guest

MOST = 1.01
FREE = ("stat --waits", "trace without mapops")
SCRIPT = "selftests/kernel/bench/watchers.sh"


def measure(kernel, args, env):
    """(program, watcher) -> least instructions per update of all rounds: an update always executes
    the same, and what else runs meanwhile only adds."""
    text = guest(kernel, f"{SCRIPT} {args.rounds} {args.batches}", "queue", 2, args.timeout, env)
    ticks = {}
    for line in text.splitlines():
        if line.startswith("{"):
            r = json.loads(line)
            ticks.setdefault((r["program"], r["watcher"]), []).append(r["ticks"])
    if any(len(v) != args.rounds for v in ticks.values()):
        sys.exit(f"watchers: {kernel}: not {args.rounds} rounds of each")
    return {case: min(v) for case, v in ticks.items()}


def table_of(kernel, ticks):
    rows = []
    for (program, watcher), value in ticks.items():
        alone = ticks[program, "nobody"]
        row = {"kernel": kernel, "program": program, "watcher": watcher, "ticks": value}
        rows.append(row | {"ratio": round(value / alone, 4)})
    return rows


def report(table):
    print(f"# {'kernel':17} {'program':16} {'watcher':20} {'instructions':>12} {'ratio':>7}")
    for r in table:
        print(
            f"# {r['kernel']:17} {r['program']:16} {r['watcher']:20} {r['ticks']:12.1f} "
            f"{r['ratio']:7.4f}"
        )
    tap = Tap()
    for r in table:
        if r["watcher"] in FREE:
            what = f"{r['kernel']}, {r['program']}, {r['watcher']}: {r['ratio']:.4f}"
            tap.check(r["ratio"] <= MOST, f"{what} times the instructions (at most {MOST})")
    return tap.close()


def main():
    ap = argparse.ArgumentParser(description=__doc__.split("\n", 1)[0])
    ap.add_argument("--kernels", nargs="+", default=["debian-7.3", "6.12-rqspin-lean"])
    ap.add_argument("--rounds", type=int, default=25)
    ap.add_argument("--batches", type=int, default=2, help="of 1000 updates, per round")
    ap.add_argument("--timeout", type=int, default=1200)
    ap.add_argument("--json", metavar="FILE")
    args = ap.parse_args()
    with counting() as env:
        table = [r for k in args.kernels for r in table_of(k, measure(k, args, env))]
    if args.json:
        with open(args.json, "w") as f:
            json.dump({"schema": "rqspin-watchers/1", "cases": table}, f, indent=1)
    return report(table)


if __name__ == "__main__":
    sys.exit(main())
