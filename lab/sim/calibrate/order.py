# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
"""Which lock is faster at how many threads: published/order.csv against the simulator."""

from published import read

from model import job

#: Closer than this is the same. Simulated runs of one cell differ by less.
TIE = 0.01


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


def compare(sim, hardware, load, single, pause_ns, fixed_pause_ns):
    """The pairs with a column ratio (first / second) and a column right.

    A fixed number of PAUSEs was chosen for a machine whose PAUSE takes fixed_pause_ns: there 50x is
    a tenth of what it is since Skylake. Such locks have the delay in ns that they had there.
    """
    t = pairs()

    def rate(lock, threads):
        j = job("x86_64", "open1", threads, hardware, load, single, lock)
        j["topology"] |= {"pause_ns": fixed_pause_ns if is_fixed(lock) else pause_ns}
        if lock == "ticket-auto":
            j["warm_us"] = 10000
        return sim.rate(j)

    t["ratio"] = [rate(r["first"], r.threads) / rate(r.second, r.threads) for _, r in t.iterrows()]
    t["right"] = [holds(r.relation, r.ratio, 1.0) for r in t.itertuples()]
    return t
