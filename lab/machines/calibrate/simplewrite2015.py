# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
"""Long 2015: tasks that lock and unlock in a loop, before and after the queue's head takes the lock
with a store instead of a compare-and-exchange."""

import numpy as np
import seeds
from fit import search
from model import HIT_NS, RMW_NS
from published import read

#: A machine with 4 sockets; at most 8 tasks run on one of them.
LOOP = {"lock": "qspinlock", "acquisitions": 5000, "cs_ns": 1, "ncs_ns": 2, "lines": 1}
LOOP_OPS = 5_000_000
BEFORE, AFTER = "qspinlock-cmpxchg", "qspinlock"


def job(nodes, layout, tasks, lock, p):
    """Tasks on one socket, or each on the next one."""
    remote = p.get("remote", p["local"] * 3)
    return {
        **LOOP,
        "lock": lock,
        "threads": int(tasks),
        "embedded": layout == "embedded",
        "topology": {
            "name": "4 x 10", "sockets": 4, "cores": 10, "smt": 1, "random": True,
            "spread": nodes == "different", "hit_ns": HIT_NS, "rmw_ns": RMW_NS,
            "local_ns": p["local"], "remote_ns": remote,
            "occ_local_ns": p["local"] / 5, "occ_remote_ns": remote / 5,
        },
    }  # fmt: skip


def loop_ms(tasks, rate):
    """Time of five million acquisitions of each task."""
    return LOOP_OPS * tasks / rate * 1e3


def fit_way(sim, table, nodes, name, bounds, known):
    """One way, from the first published row of these nodes, before the change."""
    row = table[(table.nodes == nodes) & (table.layout == "standalone")].iloc[0]

    def error(p):
        cell = job(nodes, row.layout, row.tasks, BEFORE, known | p)
        return abs(np.log(loop_ms(row.tasks, sim.rate(cell)) / row.before_ms))

    found, _ = search(error, {name: bounds}, {name: 2 * bounds[0]}, 25)
    return known | found, row.name


def simulate(sim):
    """The published table, with times simulated; two of its rows calibrate one way each."""
    table = read("simple-write-2015.csv")
    p, first = fit_way(sim, table, "same", "local", (10, 150), {})
    p, second = fit_way(sim, table, "different", "remote", (50, 2000), p)
    table["train"] = table.index.isin([first, second])
    for column, lock in (("before", BEFORE), ("after", AFTER)):
        table[column] = [
            float(np.median([
                loop_ms(r.tasks, rate)
                for rate in seeds.rates(sim, job(r.nodes, r.layout, r.tasks, lock, p))
            ]))
            for r in table.itertuples()
        ]  # fmt: skip
    return table


def as_calibrated(rows):
    """A baseline: before and after, each acquisition takes what it takes in the calibrated row."""
    known = rows[rows.train].iloc[0]
    return rows.tasks * known.before_ms / known.tasks
