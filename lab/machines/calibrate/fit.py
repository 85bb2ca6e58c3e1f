# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
"""Calibration: first the machine with its tables' workloads, then those of the other tables."""

import math

import numpy as np
import seeds
from model import job, operations
from published import MACHINE_TABLES
from scipy.optimize import minimize

HARDWARE = {"local": (15, 150), "remote": (40, 1500), "occupancy": (0.01, 0.9)}
LOAD = {"cs": (1, 400), "lines": (0.05, 8)}


def predict(sim, arch, benchmark, threads, hardware, load, single):
    rate = sim.rate(job(arch, benchmark, threads, hardware, load, single))
    return operations(benchmark, rate)


def predict_by_seed(sim, arch, benchmark, threads, hardware, load, single):
    """The same, once for each seed; the calibration uses the first one only."""
    rates = seeds.rates(sim, job(arch, benchmark, threads, hardware, load, single))
    return operations(benchmark, rates)


def error(sim, rows, hardware, load, single):
    """Mean of |ln(simulated / published)|."""
    return float(
        np.mean(
            [
                abs(
                    math.log(
                        predict(sim, r.arch, r.benchmark, r.threads, hardware, load, single)
                        / r.rate
                    )
                )
                for r in rows.itertuples()
            ]
        )
    )


def search(function, bounds, start, evaluations):
    """Nelder and Mead's simplex on logarithms; bounds: name -> (low, high)."""
    names = list(bounds)
    box = [tuple(map(math.log, bounds[n])) for n in names]

    def value(x):
        return function(dict(zip(names, map(math.exp, x), strict=True)))

    x = [math.log(start[n]) for n in names]
    simplex = np.array([x] + [[v + 0.4 * (i == k) for k, v in enumerate(x)] for i in range(len(x))])
    found = minimize(
        value,
        x,
        method="Nelder-Mead",
        bounds=box,
        options={"maxfev": evaluations, "initial_simplex": simplex, "xatol": 1e-3, "fatol": 1e-4},
    )
    return dict(zip(names, map(math.exp, found.x), strict=True)), float(found.fun)


def singles(table):
    """Published operations per second of one thread."""
    one = table[table.threads == 1]
    return {(r.arch, r.benchmark): r.rate for r in one.itertuples()}


def fit_machine(sim, table, arch, evaluations, **fixed):
    """Hardware, and workloads of the tables that calibrate it. fixed: hardware that is given."""
    rows = table[(table.arch == arch) & table.train & table.benchmark.isin(MACHINE_TABLES)]
    single = singles(table)
    bounds = dict(HARDWARE)
    start = {"local": 50, "remote": 150, "occupancy": 0.15}
    for b in MACHINE_TABLES:
        bounds |= {f"{b}.{k}": v for k, v in LOAD.items()}
        start |= {f"{b}.cs": 40, f"{b}.lines": 1.5}

    def value(p):
        return sum(
            error(sim, rows[rows.benchmark == b], p | fixed, part(p, b), single[arch, b])
            for b in MACHINE_TABLES
        )

    best, _ = search(value, bounds, start, evaluations)
    return {k: best[k] for k in HARDWARE} | fixed, {b: part(best, b) for b in MACHINE_TABLES}


def part(parameters, benchmark):
    return {k: parameters[f"{benchmark}.{k}"] for k in LOAD}


def fit_load(sim, table, arch, benchmark, hardware, evaluations):
    rows = table[(table.arch == arch) & table.train & (table.benchmark == benchmark)]
    single = singles(table)[arch, benchmark]
    best, _ = search(
        lambda p: error(sim, rows, hardware, p, single), LOAD, {"cs": 40, "lines": 1.5}, evaluations
    )
    return best
