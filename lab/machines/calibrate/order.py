# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
"""Which lock is faster at how many threads: published/order.csv against the simulator."""

import seeds
from model import job
from published import read

#: Rates that are closer than this are the same. Simulated runs of one cell on one socket differ by
#: less.
TIE = 0.01

#: CNA turns to the other socket once in 65536 hand-overs: this many turns, on average, are seen.
CNA_TURNS, CNA_TURN = 15, 65536
#: For ratios of locks that no table has: enough that the start does not matter.
MANY_ACQUISITIONS = 100_000


def pairs():
    """Rows of order.csv, one for each number of threads."""
    t = read("order.csv")
    t["threads"] = t.threads.astype(str).str.split()
    return t.explode("threads").astype({"threads": int}).reset_index(drop=True)


def holds(relation, first, second):
    if relation == "same":
        return abs(first / second - 1) <= TIE
    return first > second * (1 + TIE)


def is_fixed(lock):
    """Does the lock's delay count PAUSEs?"""
    return lock.startswith("ticket-") and lock.endswith("x")


def long_enough(job, least=0):
    """The job, with as many acquisitions as its lock needs to show all its behaviour."""
    sockets = job["threads"] > job["topology"]["cores"]
    turns = CNA_TURNS * CNA_TURN if job["lock"] == "cna" and sockets else 0
    return {**job, "acquisitions": max(job["acquisitions"], least, turns)}


def compare(sim, hardware, load, single, pause_ns, fixed_pause_ns):
    """The pairs with columns ratio (first / second, with the same seed: the median), low and high
    (its interval), and right: the whole interval is.

    A fixed number of PAUSEs was chosen for a machine whose PAUSE takes fixed_pause_ns: there 50x is
    a tenth of what it is since Skylake. Such locks have the delay in ns that they had there.
    """
    t = pairs()

    def rates(lock, threads):
        j = job("x86_64", "open1", threads, hardware, load, single, lock)
        j["topology"] |= {"pause_ns": fixed_pause_ns if is_fixed(lock) else pause_ns}
        if lock == "ticket-auto":
            j["warm_us"] = 10000
        return seeds.rates(sim, long_enough(j))

    found = [
        seeds.spread(rates(r["first"], r.threads) / rates(r.second, r.threads))
        for _, r in t.iterrows()
    ]
    t["ratio"], t["low"], t["high"] = zip(*found, strict=True)
    t["right"] = [
        holds(r.relation, r.low, 1.0) and holds(r.relation, r.high, 1.0) for r in t.itertuples()
    ]
    return t
