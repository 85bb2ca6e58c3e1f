# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
"""Out of sample: published figures with which nothing was tuned, and what the simulator says.

A set fails if its error is above the target, or above that of its baseline, which gets no more
points than the simulator."""

import cna2019
import hybrid2017
import lockhammer2018
import seeds
import simplewrite2015
from published import read
from verdicts import TIE, mape

TARGET = 0.20
LOCKHAMMER_EVALUATIONS = 60
ORDER_TARGET = 0.8


def judge(report, name, error, rules):
    """rules: what a baseline says -> its error."""
    says, least = min(rules.items(), key=lambda item: item[1])
    texts = ", ".join(f"{text} {value:.1%}" for text, value in rules.items())
    report.facts[name] = {"error": error, "baselines": rules}
    report.target(
        name,
        f"{name}: {error:.1%}, at most {TARGET:.0%} and no farther off than the baseline; {texts}"
        + ("" if error <= least + TIE else f": '{says}' is nearer"),
        error <= TARGET and error <= least + TIE,
        error,
    )


def smaller_machine(sim, report, between):
    """Long 2017: the other machine, with the time between acquisitions of the first one."""
    t = hybrid2017.small(sim, between)
    print("\nLong 2017, the smaller machine (16 cores, 32 threads): vCPUs, hybrid/pv (published), "
          "unfair/pv (published)")  # fmt: skip
    for r in t.itertuples():
        print(f"{r.vcpus:5} {r.sim_ratio:8.3f} ({r.ratio:.3f}) {r.sim_unfair_ratio:8.3f} "
              f"({r.unfair_ratio:.3f})")  # fmt: skip
    first = hybrid2017.with_ratios(read("hybrid-pv-2017.csv"))
    known = hybrid2017.as_calibrated(first, t.vcpus, hybrid2017.SMALL["pcpus"])
    for lock, ours, theirs in (
        ("hybrid", t.sim_ratio, t.ratio),
        ("unfair", t.sim_unfair_ratio, t.unfair_ratio),
    ):
        rules = {
            "no gain": mape([1.0] * len(t), theirs),
            "the calibrated ratio": mape(known, theirs),
        }
        judge(report, f"Long 2017, smaller machine, {lock}/pv", mape(ours, theirs), rules)
    report.facts["smaller machine"] = t.to_dict("records")


def judge_loop(report, rows, where):
    """Rows of Long 2015 on the same nodes: the times that calibrate nothing, and the gain."""
    known = simplewrite2015.as_calibrated(rows)
    held = ~rows.train
    ours = [*rows[held].before, *rows.after]
    theirs = [*rows[held].before_ms, *rows.after_ms]
    rules = {"each acquisition as in the calibrated row": mape([*known[held], *known], theirs)}
    judge(report, f"Long 2015, {where}, times", mape(ours, theirs), rules)
    gain = rows.after_ms / rows.before_ms
    rules = {"no gain": mape([1.0] * len(rows), gain)}
    judge(report, f"Long 2015, {where}, after/before", mape(rows.after / rows.before, gain), rules)


def simple_write(sim, report):
    """Long 2015: a row of each kind of node calibrates one way."""
    t = simplewrite2015.simulate(sim)
    print("\nLong 2015: ms for 5 million acquisitions of each task, before and after (published)")
    for r in t.itertuples():
        print(f"  {r.nodes:9} {r.layout:10} {r.tasks} tasks: {r.before:6.0f} {r.after:6.0f} "
              f"({r.before_ms} {r.after_ms}){' calibrated' if r.train else ''}")  # fmt: skip
    for nodes, where in (("same", "one node"), ("different", "several nodes")):
        judge_loop(report, t[t.nodes == nodes], where)
    report.facts["simple write"] = t.to_dict("records")


def cna(sim, report, table, hardware, loads, single):
    """Dice and Kogan 2019, with the costs and the workloads of Dwivedi 2025."""
    t = cna2019.compare(sim, table, hardware, loads, single)
    print("\nDice and Kogan 2019: CNA as a multiple of qspinlock, with the costs of x86_64: median "
          f"of {len(seeds.SEEDS)} seeds, interval")  # fmt: skip
    for r in t.itertuples():
        print(f"  {r.workload} at {r.threads:3} threads of {r.sockets} sockets: {r.ratio:.2f} "
              f"[{r.least:.2f}, {r.most:.2f}], published {r.low:.2f} to {r.high:.2f} "
              f"({r.benchmark}), a + bP without bP {r.baseline:.2f}")  # fmt: skip
    others = read("cna-2019.csv")
    others = others[~others.benchmark.isin(cna2019.WORKLOADS)]
    print("  not simulated, other workloads: " + ", ".join(
        f"{r.benchmark} at {r.threads} {r.low:.2f}" for r in others.itertuples()))  # fmt: skip
    rules = {
        "no gain": cna2019.off(1.0, t),
        "a + bP without bP": cna2019.off(t.baseline, t),
    }
    judge(report, "Dice and Kogan 2019, CNA/qspinlock", cna2019.off(t.ratio, t), rules)
    report.facts["cna"] = t.to_dict("records")


def judge_faster(report, rows, what):
    right, pairs = lockhammer2018.faster(rows)
    share, rule = right["simulated"] / pairs, right["baseline"] / pairs
    name = f"Lockhammer 2018, {what}, which lock is faster"
    report.target(
        name,
        f"{name}: {right['simulated']} of {pairs} right, at least {ORDER_TARGET:.0%} and no fewer "
        f"than the baseline; the same overhead {right['baseline']}",
        share >= max(ORDER_TARGET, rule),
        share,
    )


def judge_workload(report, rows):
    """One workload of Lockhammer, without the points that calibrate the machines."""
    what = f"{rows.section_ns.iloc[0]}/{rows.outside_ns.iloc[0]} ns"
    many = rows[rows.threads > 2]
    parts = rows.groupby("machine")
    each = (f"{m} {mape(part.simulated, part.ns):.1%}" for m, part in parts)
    print(f"  {what}: {', '.join(each)}; all without 2 threads {mape(many.simulated, many.ns):.1%}")
    rules = {"the same overhead": mape(rows.baseline, rows.ns)}
    judge(report, f"Lockhammer 2018, {what}", mape(rows.simulated, rows.ns), rules)
    judge_faster(report, rows, what)


def lockhammer(sim, report):
    """Lockhammer 2018: one workload calibrates a machine, the others are predicted."""
    t, costs = lockhammer2018.simulate(sim, LOCKHAMMER_EVALUATIONS)
    print("\nLockhammer 2018: ns for an acquisition, queue and ticket; calibrated with 8 points of "
          "200/1000 ns (section/outside)")  # fmt: skip
    for machine, p in costs.items():
        print(f"  {machine}: " + ", ".join(f"{k} {v:.2f}" for k, v in p.items()))
    for _, rows in t[~t.train].groupby(["section_ns", "outside_ns"], sort=False):
        judge_workload(report, rows)
    report.facts["lockhammer"] = t.to_dict("records")
