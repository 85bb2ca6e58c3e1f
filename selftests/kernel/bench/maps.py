#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
"""Throughput of hash map updates: a patched kernel beside the unpatched one, in guests.

Both are booted in turn, A B B A. In every boot each case runs several rounds; the boot counts with
their median, a pair of boots with the ratio of both, and the result is the median of the pairs with
its 95 % interval by order statistics (from six pairs on). Limit: 97 % of the unpatched throughput.

--clock instructions (default) lets QEMU count: one instruction is one tick, and one virtual CPU
runs at a time. What else the machine does makes no difference. Not seen are cache misses and the
price of atomic instructions: no verdict on that.

--clock wall takes real time, on a quiet machine. QEMU finds translated code by a table of 4096
places; code that shares one is looked up anew each time, which costs 10 % and is a matter of where
instructions happen to lie. So both kernels are measured in several layouts (which layouts.sh
builds). A layout counts with the median of its pairs, the result is the median of the layouts with
their range, and a case fails only if no layout reaches the limit."""

import argparse
import contextlib
import json
import statistics
import subprocess
import sys

from stats import TOP, Tap, counting, guest, median_interval

LIMIT = 0.97


def boot(kernel, args, env):
    """(program, threads) -> median of the ticks per update in one boot."""
    driver = "build/selftests/kernel/bench/maps"
    runs = [f"{driver} {n} {args.rounds} {args.batches}" for n in args.threads]
    text = guest(kernel, " && ".join(runs), args.cpu, max(args.threads), args.timeout, env)
    ticks = {}
    for line in text.splitlines():
        r = json.loads(line)
        ticks.setdefault((r["program"], r["threads"]), []).append(r["ticks"])
    return {case: statistics.median(v) for case, v in ticks.items()}


def need(kernel):
    """The folder of a kernel that has been built."""
    folder = TOP / "build/kernels" / kernel
    if not (folder / "VERSION").is_file():
        how = "make kernel CONFIG=" + kernel.removeprefix("6.12-rqspin-")
        if kernel.endswith("-base"):
            how = "make kernel-tree; kernel-patches/build.sh --commit base --as base lean"
        elif "-moved" in kernel:
            how = "make kernel-tree; selftests/kernel/bench/layouts.sh"
        sys.exit(f"maps: no kernel {kernel}: run {how}")
    return folder


def commit(kernel, parent=""):
    """What a kernel was built from, or the commit before it."""
    built = (need(kernel) / "VERSION").read_text().split()[-1]
    git = ["git", "-C", TOP / "build/linux-6.12", "rev-parse", "--verify", "-q", built + parent]
    return subprocess.run(git, capture_output=True, text=True, check=False).stdout


def in_layout(kernel, layout):
    """The kernel with the code of its hash maps moved by so many bytes."""
    if not layout:
        return kernel
    name = f"{kernel}-moved{layout}"
    if not commit(kernel) or commit(name, "^") != commit(kernel):
        sys.exit(
            f"maps: no {name} of the same state as {kernel}: run selftests/kernel/bench/layouts.sh"
        )
    return name


def config(kernel):
    """What a kernel is configured as, the series' own options left out."""
    (file,) = (need(kernel) / "boot").glob("config-*")
    lines = file.read_text().splitlines()
    return {line for line in lines if "CONFIG_" in line and "RQSPINLOCK" not in line}


def check_configs(pairs):
    for base, ours in pairs:
        unlike = config(base) ^ config(ours)
        if unlike:
            which = ", ".join(sorted(unlike)[:3])
            sys.exit(
                f"maps: {base} and {ours} are configured differently ({which}): "
                "run selftests/kernel/bench/layouts.sh"
            )


def measure(args, env):
    """Pairs of boots, every second pair the other way round."""
    layouts = args.layouts * args.pairs
    kernels = [(in_layout(args.base, n), in_layout(args.ours, n)) for n in layouts]
    check_configs(set(kernels))
    pairs = []
    for i, (base, ours) in enumerate(kernels):
        swap = (i % len(args.layouts) + i // len(args.layouts)) % 2
        order = (ours, base) if swap else (base, ours)
        found = {kernel: boot(kernel, args, env) for kernel in order}
        pairs.append((found[base], found[ours]))
        ratios = (f"{c[0]}/{c[1]} {v / found[ours][c]:.3f}" for c, v in found[base].items())
        print(f"# pair {i + 1} of {len(kernels)}: {', '.join(ratios)}", flush=True)
    return pairs


def summary(ratios, layouts):
    """Median and interval of the pairs, or median and range of the layouts, which take turns."""
    if layouts == 1:
        return median_interval(ratios)
    each = [statistics.median(ratios[k::layouts]) for k in range(layouts)]
    return statistics.median(each), min(each), max(each)


def rows(pairs, layouts):
    out = []
    for case in pairs[0][0]:
        ratio, low, high = summary([base[case] / ours[case] for base, ours in pairs], layouts)
        row = {"program": case[0], "threads": case[1]}
        row["base_ticks"] = statistics.median(base[case] for base, _ in pairs)
        row["ours_ticks"] = statistics.median(ours[case] for _, ours in pairs)
        row |= {"ratio": round(ratio, 4), "low": round(low, 4), "high": round(high, 4)}
        out.append(row)
    return out


def judged(row, args):
    """Counted instructions include those of threads that wait for the lock of an LRU list."""
    return args.clock == "wall" or row["threads"] == 1 or not row["program"].endswith("_lru")


def report(table, args):
    print(f"# ticks per update ({args.clock}); throughput of {args.ours} / {args.base}")
    print(f"# {'program':16} {'threads':>7} {'base':>9} {'ours':>9} {'ratio':>7}  interval")
    for r in table:
        print(
            f"# {r['program']:16} {r['threads']:7} {r['base_ticks']:9.1f} {r['ours_ticks']:9.1f} "
            f"{r['ratio']:7.3f}  {r['low']:.3f} .. {r['high']:.3f}"
        )
    tap = Tap()
    for r in filter(lambda row: judged(row, args), table):
        what = f"{r['program']}, {r['threads']} threads: {r['ratio']:.3f} of the throughput"
        if args.clock == "wall":
            tap.check(r["high"] >= LIMIT, f"{what}, up to {r['high']:.3f} (at least {LIMIT})")
        else:
            tap.check(r["ratio"] >= LIMIT, f"{what} (at least {LIMIT})")
    return tap.close()


def main():
    ap = argparse.ArgumentParser(description=__doc__.split("\n", 1)[0])
    ap.add_argument("--base", default="6.12-rqspin-base")
    ap.add_argument("--ours", default="6.12-rqspin-lean")
    ap.add_argument("--clock", choices=("instructions", "wall"), default="instructions")
    ap.add_argument("--cpu", choices=("queue", "tas"), default="queue")
    ap.add_argument("--threads", type=int, nargs="+", default=[1, 4])
    ap.add_argument(
        "--layouts",
        type=int,
        nargs="+",
        metavar="BYTES",
        help="code moved by (0; wall: 208 1456 2416 3696)",
    )
    ap.add_argument("--pairs", type=int, help="boots of each kernel in each layout (6; wall: 3)")
    ap.add_argument("--rounds", type=int, default=9, help="in each boot")
    ap.add_argument("--batches", type=int, default=20, help="of 1000 updates, per thread and round")
    ap.add_argument("--timeout", type=int, default=400)
    ap.add_argument("--json", metavar="FILE")
    args = ap.parse_args()
    wall = args.clock == "wall"
    args.layouts = args.layouts or ([208, 1456, 2416, 3696] if wall else [0])
    args.pairs = args.pairs or (3 if wall else 6)
    with contextlib.nullcontext() if wall else counting() as env:
        table = rows(measure(args, env), len(args.layouts))
    if args.json:
        with open(args.json, "w") as f:
            json.dump({"schema": "rqspin-maps/1", "clock": args.clock, "cases": table}, f)
    return report(table, args)


if __name__ == "__main__":
    sys.exit(main())
