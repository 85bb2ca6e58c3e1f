#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
"""What a deadlock costs the BPF program that meets it: stock kernel and patched one, in guests.

The same BPF object runs on both, in the same emulated machine. Measured by the programs' own clock
from just before the first lock to just after the last unlock: AA on one CPU, ABBA on two that meet
with their first lock held. "victim" is the first program to fail, "whole" ends when both have
released. The kernels are booted in turn. TAP: the victims' median is at least 20 times shorter."""

import collections
import json
import sys

from stats import Tap, comparison, guest, in_turn, json_save, median_interval, quantile

RATIO = 20
CASES = {"aa": "AA", "abba": "ABBA"}


def boot(kernel, cpu, args):
    """Case -> rounds of one boot."""
    driver = "build/selftests/kernel/bench/latency"
    runs = [f"echo {case}; {driver} {case} {args.rounds}" for case in CASES]
    found = {case: [] for case in CASES}
    case = None
    for line in guest(kernel, " && ".join(runs), cpu, args.cpus, args.timeout).splitlines():
        if line in CASES:
            case = line
        else:
            found[case].append(json.loads(line))
    return found


def measure(cpu, args):
    """(kernel, case) -> rounds of all boots; every second pair of boots the other way round."""
    found = collections.defaultdict(list)
    for kernel in in_turn((args.stock, args.ours), args.boots):
        for case, rounds in boot(kernel, cpu, args).items():
            found[kernel, case] += rounds
    return found


def row(cpu, kernel, case, rounds):
    failed = [r for r in rounds if any(r["errors"])]
    if not failed:
        sys.exit(f"latency: {case} on {kernel}: nothing failed in {len(rounds)} rounds")
    out = {"path": cpu, "kernel": kernel, "case": case, "rounds": len(rounds)}
    out["errors"] = dict(collections.Counter(str(e) for r in failed for e in r["errors"] if e))
    for part in ("victim", "whole"):
        ns = [r[part] for r in failed]
        middle, low, high = median_interval(ns)
        out[part] = {"p50": middle, "low": low, "high": high, "p99": quantile(ns, 0.99)}
    return out


def show(rows):
    print(
        f"# {'path':5} {'kernel':17} {'case':5} {'rounds':>6}  us: p50 (95 % interval), p99  errors"
    )
    for r in rows:
        for part in ("victim", "whole") if r["case"] == "abba" else ("victim",):
            us = {k: f"{v / 1000:.1f}" for k, v in r[part].items()}
            print(
                f"# {r['path']:5} {r['kernel']:17} {r['case']:5} {r['rounds']:6}  {part} "
                f"{us['p50']} ({us['low']} .. {us['high']}), {us['p99']}  {r['errors']}"
            )


def check(tap, cpu, case, stock, ours, args):
    """A round counts when the two met; few do not, or nothing was measured."""
    wanted = args.rounds * args.boots
    enough = min(stock["rounds"], ours["rounds"])
    tap.check(enough >= 0.9 * wanted, f"{cpu} {CASES[case]}: {enough} of {wanted} rounds counted")
    only = set(ours["errors"]) == {"-35"}
    tap.check(only, f"{cpu} {CASES[case]}: only -EDEADLK on {args.ours}: {ours['errors']}")
    a, b = stock["victim"], ours["victim"]
    ratio = f"{a['p50'] / b['p50']:.1f} ({a['low'] / b['high']:.1f} .. {a['high'] / b['low']:.1f})"
    tap.check(
        a["p50"] >= RATIO * b["p50"],
        f"{cpu} {CASES[case]}: {ratio} times as fast for the victim (at least {RATIO})",
    )


def main():
    ap = comparison(__doc__, boots=2, timeout=300)
    ap.add_argument("--path", choices=("queue", "tas"), nargs="+", default=["queue"])
    ap.add_argument("--cpus", type=int, default=2)
    ap.add_argument("--rounds", type=int, default=300, help="in each boot")
    args = ap.parse_args()
    tap, rows = Tap(), []
    for cpu in args.path:
        found = measure(cpu, args)
        table = {key: row(cpu, *key, rounds) for key, rounds in found.items()}
        rows += [table[k, c] for c in CASES for k in (args.stock, args.ours)]
        show(rows[-2 * len(CASES) :])
        for case in CASES:
            check(tap, cpu, case, table[args.stock, case], table[args.ours, case], args)
    json_save(args.json, {"schema": "rqspin-latency/1", "rows": rows})
    return tap.close()


if __name__ == "__main__":
    sys.exit(main())
