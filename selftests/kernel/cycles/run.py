#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
"""Deadlocks of a kernel's own resilient lock, before and after kernel-patches/7.x/cycles.

usage: run.py [--kernels BEFORE AFTER] [--boots N] [--millions N] [--keep DIR]

Modules that kernel-patches/build.sh puts into build/kernels/NAME/extra are loaded in guests of both
kernels in turn: rings of tasks (how soon the first is refused, how many are), the kernel's own
stress module (ABBA and ABBCCA, with NMIs sent by CPU 0 instead of counters, which an emulated CPU
does not have), and locks taken in one order, where every -EDEADLK is false. TAP, and the figures of
each kernel as comments: medians of all boots with their intervals. The emulator counts
instructions, one virtual CPU after the other, 1 ns each: a busy machine changes nothing but how
long this takes. With --keep each guest's log goes to DIR, and what is there already is not run
again.
"""

import argparse
import re
import sys
from collections import Counter
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "bench"))
from stats import Tap, counting, guest, median_interval  # noqa: E402

RING = re.compile(
    r"RING (\d+) parties (\d+) rounds: first_us (\d+) (\d+) (\d+) victims (\d+) one (\d+) "
    r"EDEADLK (\d+) ETIMEDOUT (\d+)"
)
ORDER = re.compile(r"ORDER acquisitions (\d+) in_irq (\d+) false_EDEADLK (\d+) ETIMEDOUT (\d+)")
OUTCOME = re.compile(r"OUTCOME (\w+) above_ms (\d+): (\d+)")
MODE = re.compile(r"Mode = (\w+)")
BUCKET = re.compile(r"   (?:>= )?(\d+)(?:-\d+)?ms: total (\d+)")
TOTAL = re.compile(r"cpu\d+: total (\d+) .*failure (\d+) .*?(, all within 0-10ms)?$")


def script(kernel, args):
    """What a guest does: everything once, the kernel's log after each step."""
    extra = f"build/kernels/{kernel}/extra"
    lines = ["set -e", "say() { dmesg -t; dmesg -C; }", "dmesg -C"]
    for n in args.parties:
        lines += [
            f"insmod {extra}/rqspin_ring.ko parties={n} rounds={args.rounds}",
            "rmmod rqspin_ring; say",
        ]
    for mode in (1, 2):
        lines += [
            f"insmod {extra}/rqspin_upstream.ko test_mode={mode}",
            "until dmesg | grep -q 'Paused the test'; do sleep 1; done",
            "rmmod rqspin_upstream; say",
        ]
    if args.millions:
        lines.append(f"insmod {extra}/rqspin_order.ko millions={args.millions}; say")
    return "\n".join(lines)


class Boot:
    """What the log of one guest says."""

    def __init__(self, text):
        self.rings, self.modes, self.outcomes, self.order = {}, {}, {}, None
        mode = outcome = None
        for line in text.splitlines():
            if m := RING.search(line):
                n, rounds, p50, p90, worst, victims, one, refused, late = map(int, m.groups())
                self.rings[n] = {
                    "rounds": rounds,
                    "p50_us": p50,
                    "p90_us": p90,
                    "max_us": worst,
                    "victims": victims,
                    "one": one,
                    "refused": refused,
                    "late": late,
                }
            elif m := ORDER.search(line):
                self.order = dict(
                    zip(("taken", "in_irq", "refused", "late"), map(int, m.groups()), strict=True)
                )
            elif m := MODE.search(line):
                mode = self.modes.setdefault(m[1], Counter())
                outcome = self.outcomes.setdefault(m[1], Counter())
            elif m := OUTCOME.search(line):
                outcome[m[1], int(m[2])] += int(m[3])
            elif m := BUCKET.search(line):
                mode[int(m[1])] += int(m[2])
            elif m := TOTAL.search(line):
                mode["total"] += int(m[1])
                mode["failed"] += int(m[2])
                mode[0] += int(m[1]) if m[3] else 0


def ring_lines(kernel, boots, n):
    runs = [b.rings[n] for b in boots]
    rounds = sum(r["rounds"] for r in runs)
    middle, low, high = median_interval([r["p50_us"] / 1000 for r in runs])
    yield (
        f"{kernel}: ring of {n}: first victim after {middle:.1f} ms ({low:.1f} .. {high:.1f}), "
        f"longest {max(r['max_us'] for r in runs) / 1000:.1f} ms; {rounds} deadlocks, "
        f"{sum(r['victims'] for r in runs)} victims, one victim in {sum(r['one'] for r in runs)}; "
        f"-EDEADLK {sum(r['refused'] for r in runs)}, -ETIMEDOUT {sum(r['late'] for r in runs)}"
    )


def mode_lines(kernel, boots, mode):
    """Waits by milliseconds; 0 stands for CPUs all of whose waits were at most 10 ms."""
    total = sum((b.modes[mode] for b in boots), Counter())
    buckets = sorted(k for k in total if isinstance(k, int))
    yield (
        f"{kernel}: {mode}: {total['total']} attempts, {total['failed']} failed; from ms: "
        + ", ".join(f"{k}: {total[k]}" for k in buckets)
    )


def outcome_lines(kernel, boots, mode):
    """The same attempts by result: those that failed apart from those that only waited."""
    total = sum((b.outcomes[mode] for b in boots), Counter())
    for what in ("taken", "EDEADLK", "ETIMEDOUT"):
        counts = ", ".join(f"> {ms}: {n}" for (w, ms), n in sorted(total.items()) if w == what)
        share = outcome_share(boots, mode, what)
        yield f"{kernel}: {mode}: {what} {share}; above ms: {counts or 'none'}"


def outcome_share(boots, mode, what):
    """The share of attempts with this result: median of the boots, lowest and highest."""
    shares = []
    for b in boots:
        of = sum(b.outcomes[mode].values())
        n = sum(n for (w, _), n in b.outcomes[mode].items() if w == what)
        shares.append(100 * n / max(1, of))
    middle, low, high = median_interval(shares)
    return f"{middle:.2f} % ({low:.2f} .. {high:.2f})"


def late_share(boots, mode):
    total = sum((b.outcomes[mode] for b in boots), Counter())
    late = sum(n for (what, _), n in total.items() if what == "ETIMEDOUT")
    return late / max(1, sum(total.values()))


def longer(boots, mode, ms):
    """The share of attempts that took at least so long."""
    total = sum((b.modes[mode] for b in boots), Counter())
    slow = sum(v for k, v in total.items() if isinstance(k, int) and k >= ms)
    return slow / max(1, total["total"])


def verdicts(tap, before, after, args):
    for n in args.parties:
        was, now = (
            median_interval([b.rings[n]["p50_us"] for b in boots])[0] for boots in (before, after)
        )
        late = sum(b.rings[n]["late"] for b in after)
        rounds = sum(b.rings[n]["rounds"] for b in after)
        # An owner that the host preempts for 250 ms is a time-out of any lock.
        tap.check(late * 20 <= rounds, f"ring of {n}: found, not timed out ({late} of {rounds})")
        if n > 2:
            tap.check(now * 10 <= was, f"ring of {n}: {was / 1000:.1f} -> {now / 1000:.1f} ms")
        one = sum(b.rings[n]["one"] for b in after)
        tap.check(one * 10 >= rounds * 9, f"ring of {n}: one victim in {one} of {rounds}")
    for mode in ("ABBA", "ABBCCA"):
        was, now = (longer(boots, mode, 200) for boots in (before, after))
        tap.check(now <= was, f"{mode}: waits of 200 ms: {was:.4f} -> {now:.4f} of all attempts")
        was, now = (late_share(boots, mode) for boots in (before, after))
        tap.check(now * 10 <= was, f"{mode}: -ETIMEDOUT: {was:.4f} -> {now:.4f} of all attempts")
    if args.millions:
        taken = sum(b.order["taken"] for b in after)
        false = sum(b.order["refused"] for b in after)
        tap.check(not false, f"locks taken in one order: {false} false -EDEADLK of {taken}")


def boot_log(kernel, number, args, env):
    kept = args.keep and args.keep / f"{kernel}-{number}.log"
    if kept and kept.exists():
        return kept.read_text()
    text = guest(kernel, script(kernel, args), cpus=args.cpus, limit=args.timeout, env=env)
    if kept:
        kept.write_text(text)
    return text


def main():
    p = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    p.add_argument("--kernels", nargs=2, default=["7.x-stock", "7.x-cycles"])
    p.add_argument("--boots", type=int, default=5)
    p.add_argument("--cpus", type=int, default=5)
    p.add_argument("--parties", type=int, nargs="+", default=[2, 3, 4, 5])
    p.add_argument("--rounds", type=int, default=10)
    p.add_argument("--millions", type=int, default=2, help="acquisitions in one order, each boot")
    p.add_argument("--timeout", type=int, default=1800)
    p.add_argument("--keep", type=Path, metavar="DIR", help="the logs of the guests")
    args = p.parse_args()
    if args.keep:
        args.keep.mkdir(parents=True, exist_ok=True)
    boots = {k: [] for k in args.kernels}
    with counting() as env:
        for i in range(args.boots):
            for kernel in args.kernels[:: 1 if i % 2 == 0 else -1]:
                boots[kernel].append(Boot(boot_log(kernel, i, args, env)))
    before, after = (boots[k] for k in args.kernels)
    tap = Tap()
    verdicts(tap, before, after, args)
    for kernel, runs in boots.items():
        lines = [line for n in args.parties for line in ring_lines(kernel, runs, n)]
        for mode in ("ABBA", "ABBCCA"):
            lines += [*mode_lines(kernel, runs, mode), *outcome_lines(kernel, runs, mode)]
        if args.millions:
            taken = sum(b.order["taken"] for b in runs)
            lines.append(
                f"{kernel}: locks taken in one order: {taken} acquisitions, false -EDEADLK "
                f"{sum(b.order['refused'] for b in runs)}, -ETIMEDOUT "
                f"{sum(b.order['late'] for b in runs)}"
            )
        for line in lines:
            print(f"# {line}")
    return tap.close()


if __name__ == "__main__":
    sys.exit(main())
