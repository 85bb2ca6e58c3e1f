# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
"""Lockhammer 2018: threads of a program take a lock, wait, release it, and wait again.

One workload calibrates each machine. Both threads of a core come before the next core, so each
counts as a core here. CPUs of a socket follow from the order in which threads are pinned."""

import math

import fit
import numpy as np
import seeds
from model import HIT_NS, RMW_NS
from published import read

#: Sockets, CPUs of a socket.
MACHINES = {"x86-2": (1, 48), "x86-3": (2, 44), "x86-4": (2, 20)}
TRAIN = (200, 1000)
TRAIN_THREADS = {"x86-2": (4, 8, 24, 48), "x86-3": (4, 16, 44, 88), "x86-4": (4, 16, 20, 40)}
LOCKS = ("qspinlock", "ticket")
START = {"local": 50, "remote": 150, "occupancy": 0.15}
#: Published times that are closer than this are the same.
TIE = 0.03


def long_table():
    """A row for each lock, with columns key (the pair that it belongs to), ns, train."""
    t = read("lockhammer-2018.csv")
    t["key"] = t.index
    t = t.melt(
        ["key", "machine", "section_ns", "outside_ns", "threads"],
        [f"{lock}_ns" for lock in LOCKS], "lock", "ns",
    )  # fmt: skip
    t["lock"] = t.lock.str.removesuffix("_ns")
    t["train"] = [
        (r.section_ns, r.outside_ns) == TRAIN and r.threads in TRAIN_THREADS[r.machine]
        for r in t.itertuples()
    ]
    return t


def job(row, p):
    sockets, cpus = MACHINES[row.machine]
    remote = p.get("remote", p["local"])
    return {
        "lock": row.lock,
        "threads": int(row.threads),
        "acquisitions": 2500,
        "cs_ns": int(row.section_ns),
        "ncs_ns": int(row.outside_ns),
        "lines": 0,
        "topology": {
            "name": row.machine, "sockets": sockets, "cores": cpus, "smt": 1, "random": True,
            "hit_ns": HIT_NS, "rmw_ns": RMW_NS,
            "local_ns": p["local"], "remote_ns": remote,
            "occ_local_ns": p["local"] * p["occupancy"],
            "occ_remote_ns": remote * p["occupancy"],
        },
    }  # fmt: skip


def calibrate(sim, rows, evaluations):
    """The costs of one machine, from the rows that are for that. One socket has no remote lines."""
    one_socket = MACHINES[rows.machine.iloc[0]][0] == 1
    bounds = {k: v for k, v in fit.HARDWARE.items() if not (one_socket and k == "remote")}

    def value(p):
        cells = [math.log(1e9 / sim.rate(job(r, p)) / r.ns) for r in rows.itertuples()]
        return float(np.mean(np.abs(cells)))

    return fit.search(value, bounds, START, evaluations)[0]


def same_overhead(train, row):
    """A baseline: what the lock adds to a section of TRAIN, on lines between the calibrated points,
    it adds to any section; without a queue the threads share the time of one."""
    t = train[(train.machine == row.machine) & (train.lock == row.lock)].sort_values("threads")
    overhead = np.interp(row.threads, t.threads, t.ns - TRAIN[0])
    return max((row.section_ns + row.outside_ns) / row.threads, row.section_ns + overhead)


def simulate(sim, evaluations):
    """The table with columns simulated and baseline, and the costs of the machines."""
    t = long_table()
    train = t[t.train]
    costs = {m: calibrate(sim, train[train.machine == m], evaluations) for m in MACHINES}
    t["simulated"] = [
        1e9 / float(np.median(seeds.rates(sim, job(r, costs[r.machine])))) for r in t.itertuples()
    ]
    t["baseline"] = [same_overhead(train, r) for r in t.itertuples()]
    return t, costs


def faster(table):
    """Pairs that differ: does each column say which of the two locks is the faster one?"""
    wide = table.pivot(index="key", columns="lock", values=["ns", "simulated", "baseline"])
    sign = {c: np.sign(wide[c]["ticket"] / wide[c]["qspinlock"] - 1) for c in
            ("ns", "simulated", "baseline")}  # fmt: skip
    differ = abs(wide["ns"]["ticket"] / wide["ns"]["qspinlock"] - 1) > TIE
    return {c: int((sign[c] == sign["ns"])[differ].sum()) for c in ("simulated", "baseline")}, int(
        differ.sum()
    )
