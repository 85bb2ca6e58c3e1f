#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
"""Throughput of one lock that all threads want: stock kernel and patched one, in guests.

Four virtual CPUs share the machine's two. A BPF program takes the lock: "tight" does nothing else,
"calls" takes it once in a system call and works under it and beside it. In the first two boots of a
round the guest does not know that it is virtual: its waiters queue. In the third the patched kernel
has its queue for virtual machines, in the fourth the test-and-set lock that virtual machines get by
default. Every second round goes the other way round. With more threads
than CPUs a convoy forms and dissolves by chance, and the rate of a few seconds differs by a factor
of ten within one boot, on every kernel: so each boot measures many times, in turn with each
program and number of threads, and its rate is that of all these runs together. TAP: for each
program and number of threads, of the ratios of patched to stock in a round, at least three quarters
are at least 1; with the most threads the median ratio of hybrid to queue is at least 10. With the
most threads each program is run with an ordinary spin lock, too: qspinlock, in both kernels. Its
ratio says how much these differ apart from the resilient locks."""

import itertools
import statistics
import sys

from stats import Tap, comparison, guest, json_lines, json_save, median_interval, quantile

LEAST = 1.0
LEAST_HYBRID = 10.0
DRIVER = "build/selftests/kernel/bench/convoy"
PROGRAMS = ("tight", "calls")
ORDINARY = {"tight": "ordinary", "calls": "ordinary_calls"}


def cases_of(path, args):
    """(program, threads) of the runs of one boot."""
    cases = list(itertools.product(args.programs, args.threads))
    if path == "queue":
        cases += [(ORDINARY[program], max(args.threads)) for program in args.programs]
    return cases


def boot(kernel, path, args):
    """(program, threads) -> what one boot measured, all runs together."""
    cases = cases_of(path, args)
    runs = [f"{DRIVER} {threads} {args.seconds} {program}" for program, threads in cases]
    text = guest(kernel, " && ".join(runs * args.runs), path, args.cpus, args.timeout)
    found = json_lines(text)
    if len(found) != len(runs) * args.runs:
        sys.exit(f"convoy: {len(found)} of {len(runs) * args.runs} runs printed a result")
    return {case: together([r for r in found if case_of(r) == case]) for case in cases}


def case_of(run):
    return run["program"], run["threads"]


def together(runs):
    sums = {k: sum(r[k] for r in runs) for k in ("acquired", "seconds", "failed")}
    each = [r["acquired"] / r["seconds"] for r in runs]
    return {**sums, "longest_ns": max(r["longest_ns"] for r in runs), "runs": each}


def measure(args):
    """Per round of boots: (kernel, path) -> case -> figures."""
    rounds = []
    for i in range(args.boots):
        order = args.modes[:: 1 if i % 2 == 0 else -1]
        rounds.append({mode: boot(*mode, args) for mode in order})
    return rounds


def rate(r):
    return r["acquired"] / r["seconds"]


def row(rounds, mode, case):
    boots = [r[mode][case] for r in rounds]
    middle, low, high = median_interval([rate(r) for r in boots])
    return {
        "kernel": mode[0],
        "path": mode[1],
        "program": case[0],
        "threads": case[1],
        "per_second": {"p50": middle, "low": low, "high": high},
        "boots": [rate(r) for r in boots],
        "runs": [r["runs"] for r in boots],
        "failed": sum(r["failed"] for r in boots),
        "longest_timed_ns": max(r["longest_ns"] for r in boots),
    }


def show(rows):
    columns = "path    program         threads  1000/s: p50 (interval)  failed  longest timed ms"
    print(f"# {'kernel':17} {columns}")
    for r in rows:
        k = {name: f"{v / 1000:.1f}" for name, v in r["per_second"].items()}
        longest = r["longest_timed_ns"] / 1e6
        print(
            f"# {r['kernel']:17} {r['path']:6}  {r['program']:14} {r['threads']:8}  "
            f"{k['p50']} ({k['low']} .. {k['high']})  {r['failed']}  {longest:.1f}"
        )


def ratios_of(rounds, case, modes):
    return [rate(r[modes[0]][case]) / rate(r[modes[1]][case]) for r in rounds]


def sums_of_three(rounds, case, modes):
    """Ratios that three boots of each kernel give together, for every choice of them."""
    one, other = ([rate(r[mode][case]) for r in rounds] for mode in modes)
    sums = [[sum(c) for c in itertools.combinations(rates, 3)] for rates in (one, other)]
    return [a / b for a in sums[0] for b in sums[1]]


def show_distribution(rounds, case, modes):
    values = sorted(ratios_of(rounds, case, modes))
    print(f"# {case[0]}, {case[1]} threads, ratios: {' '.join(f'{v:.2f}' for v in values)}")
    if len(rounds) >= 3:
        sums = sums_of_three(rounds, case, modes)
        low, high = quantile(sums, 0.05), quantile(sums, 0.95)
        print(f"#   three boots of each together: 90 % of the choices {low:.2f} .. {high:.2f}")


def check_quartile(tap, rounds, case, modes):
    values = ratios_of(rounds, case, modes)
    quartile, middle = quantile(values, 0.25), statistics.median(values)
    one, other = (" ".join(mode) for mode in modes)
    tap.check(
        quartile >= LEAST,
        f"{case[0]}, {case[1]} threads: {one}: lower quartile {quartile:.2f}, median {middle:.2f} "
        f"x {other}, {len(values)} rounds of boots (at least {LEAST})",
    )


def check_hybrid(tap, rounds, case, modes):
    middle, low, high = median_interval(ratios_of(rounds, case, modes))
    one, other = (" ".join(mode) for mode in modes)
    tap.check(
        middle >= LEAST_HYBRID,
        f"{case[0]}, {case[1]} threads: {one}: {middle:.2f} ({low:.2f} .. {high:.2f}) x {other}, "
        f"{len(rounds)} rounds of boots (at least {LEAST_HYBRID})",
    )


def show_kernels(rounds, args):
    """What the kernels do with ordinary locks, and what is left of a ratio without that."""
    modes, n = (args.modes[1], args.modes[0]), max(args.threads)
    for program in args.programs:
        kernels = ratios_of(rounds, (ORDINARY[program], n), modes)
        ratios = ratios_of(rounds, (program, n), modes)
        left = [both / kernel for both, kernel in zip(ratios, kernels, strict=True)]
        for what, values in (("with an ordinary lock", kernels), ("divided by that", left)):
            middle, low, high = median_interval(values)
            print(f"# {program}, {n} threads, {what}: {middle:.2f} ({low:.2f} .. {high:.2f})")


def show_guests(rounds, args):
    """What decides on the mode of virtual machines: throughput and longest waits of both."""
    hybrid, tas = args.modes[2:]
    for case in itertools.product(args.programs, args.threads):
        middle, low, high = median_interval(ratios_of(rounds, case, (hybrid, tas)))
        waits = [max(r[mode][case]["longest_ns"] for r in rounds) / 1e6 for mode in (hybrid, tas)]
        print(
            f"# {case[0]}, {case[1]} threads: hybrid: {middle:.2f} ({low:.2f} .. {high:.2f}) x "
            f"test-and-set, longest waits {waits[0]:.0f} and {waits[1]:.0f} ms"
        )


def judge(tap, rounds, args):
    stock, ours = args.modes[:2]
    for case in itertools.product(args.programs, args.threads):
        show_distribution(rounds, case, (ours, stock))
        check_quartile(tap, rounds, case, (ours, stock))
    if not args.no_hybrid:
        case = args.programs[0], max(args.threads)
        check_hybrid(tap, rounds, case, (args.modes[2], ours))


def rows_of(rounds, args):
    modes = [(case, mode) for mode in args.modes for case in cases_of(mode[1], args)]
    return [row(rounds, mode, case) for case, mode in sorted(modes, key=lambda m: m[0])]


def options():
    ap = comparison(__doc__, boots=10, timeout=900)
    ap.add_argument("--cpus", type=int, default=4)
    ap.add_argument("--programs", nargs="+", choices=PROGRAMS, default=PROGRAMS)
    ap.add_argument("--threads", type=int, nargs="+", default=[2, 4, 8])
    ap.add_argument("--runs", type=int, default=5, help="per boot, program and number of threads")
    ap.add_argument("--seconds", type=int, default=3, help="of a run")
    ap.add_argument("--no-hybrid", action="store_true", help="only the first two boots of a round")
    args = ap.parse_args()
    args.modes = [(args.stock, "queue"), (args.ours, "queue")]
    if not args.no_hybrid:
        args.modes += [(args.ours, "hybrid"), (args.ours, "tas")]
    return args


def main():
    args = options()
    rounds = measure(args)
    rows = rows_of(rounds, args)
    show(rows)
    show_kernels(rounds, args)
    if not args.no_hybrid:
        show_guests(rounds, args)
    json_save(args.json, {"schema": "rqspin-convoy/7", "runs_per_boot": args.runs, "rows": rows})
    tap = Tap()
    judge(tap, rounds, args)
    return tap.close()


if __name__ == "__main__":
    sys.exit(main())
