# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
"""Dice and Kogan 2019: CNA as a multiple of qspinlock on two machines, with the costs and the
workloads that Dwivedi 2025 calibrates on x86_64. Nothing is calibrated with its figures."""

import baseline
import model
import numpy as np
import order
import seeds
from published import read

CORES, SMT = 18, 2
#: will-it-scale is a range over benchmarks there; these are the ones whose locks calibrate us.
WORKLOADS = {"will-it-scale": ("open1", "lock1"), "open1": ("open1",)}


def ratio(sim, sockets, threads, benchmark, hardware, load, single):
    """Throughput as a multiple of qspinlock's with the same seed: one for each seed."""

    def rates(lock):
        job = model.job("x86_64", benchmark, threads, hardware, load, single, lock)
        job["topology"] |= {"name": "CNA", "sockets": sockets, "cores": CORES, "smt": SMT}
        return seeds.rates(sim, order.long_enough(job, order.MANY_ACQUISITIONS))

    return rates("cna") / rates("qspinlock")


def without_crossing(table, benchmark, sockets, threads):
    """A baseline: CNA takes P out of t = a + b * P, and nothing else changes."""
    own, _ = baseline.training(table, "x86_64", benchmark)
    a, b = baseline.fit(own[own.threads >= baseline.FROM_THREADS])
    return 1 + b / a * baseline.share_of(sockets, CORES, threads)


def compare(sim, table, hardware, loads, single):
    """A row for each published figure and each workload that we have for it."""
    t = read("cna-2019.csv")
    t["workload"] = [WORKLOADS.get(name, ()) for name in t.benchmark]
    t = t.explode("workload").dropna().reset_index(drop=True)
    found = [
        seeds.spread(
            ratio(sim, r.sockets, r.threads, r.workload, hardware, loads[r.workload],
                  single["x86_64", r.workload])
        )
        for r in t.itertuples()
    ]  # fmt: skip
    t["ratio"], t["least"], t["most"] = zip(*found, strict=True)
    t["baseline"] = [without_crossing(table, r.workload, r.sockets, r.threads)
                     for r in t.itertuples()]  # fmt: skip
    return t


def off(value, t):
    """Mean distance to the published range, as a share of its nearer end."""
    nearest = np.clip(value, t.low, t.high)
    return float(np.mean(np.abs(value / nearest - 1)))
