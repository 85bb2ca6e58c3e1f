# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
"""Van Riel 2013: threads that lock and unlock a semaphore, on 4 nodes with 24 CPUs."""

import math

from fit import search
from published import read

#: A semop(2) takes its lock once (ipc/sem.c of Linux 3.7). It is assumed to hold the lock for 160
#: of its 385 ns. The count is in the lock's line.
OPERATION = 1
SECTION_NS = 160
HARDWARE = {"remote": (50, 600), "occupancy": (0.02, 0.95), "pause": (0.5, 20)}
START = {"remote": 180, "occupancy": 0.7, "pause": 2.5}
AUTO_WARM_US = 10000


def job(lock, threads, p, single):
    local = p["remote"] / 2
    return {
        "lock": lock,
        "threads": int(threads),
        "acquisitions": 2500,
        "warm_us": AUTO_WARM_US if lock.endswith("auto") else 0,
        "cs_ns": SECTION_NS,
        "lines": 1,
        "embedded": True,
        "ncs_ns": 1e9 / (single * OPERATION) - SECTION_NS - 9,
        "topology": {
            "name": "4 x 6",
            "sockets": 4,
            "cores": 6,
            "smt": 1,
            "spread": True,
            "random": True,
            "hit_ns": 1,
            "rmw_ns": 6,
            "local_ns": local,
            "remote_ns": p["remote"],
            "occ_local_ns": local * p["occupancy"],
            "occ_remote_ns": p["remote"] * p["occupancy"],
            "pause_ns": p["pause"],
        },
    }


def rate(sim, lock, threads, p, single):
    return sim.rate(job(lock, threads, p, single)) / OPERATION


def calibrate(sim, evaluations):
    """Return: hardware, and the table with a column of simulated rates."""
    t = read("ticket-backoff-2013.csv")
    single = t[t.threads == 1].per_second.iloc[0]
    train = t[t.use == "train"]

    def value(p):
        return sum(
            abs(math.log(rate(sim, r.lock, r.threads, p, single) / r.per_second))
            for r in train.itertuples()
        ) / len(train)

    p, _ = search(value, HARDWARE, START, evaluations)
    t["simulated"] = [rate(sim, r.lock, r.threads, p, single) for r in t.itertuples()]
    return p, t


def few_threads(sim, p, single=2.6e6):
    """Operations per second with 50x and 250x, by number of threads."""
    return {
        n: tuple(rate(sim, lock, n, p, single) for lock in ("ticket-50x", "ticket-250x"))
        for n in (2, 3, 4, 5)
    }
