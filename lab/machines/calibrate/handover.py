# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
"""The cost of our queue's atomics, as far as the published tables determine it.

A waiter of ours passes its place on with an exchange on a line that it shares, where qspinlock has
a plain store. The cost of such a write is no free parameter of the model: by default it is that of
a write to a line that the CPU does not have. So it is lowered here step by step, and the rest is
calibrated anew. The error of the held-out points shows which of these costs the tables can
distinguish."""

import model
import numpy as np
import pandas as pd
import seeds

#: 0: the full cost, as everywhere else. It cannot be less than an atomic in the own cache.
UPGRADES_NS = (0, 20, 10, 2)
BASE, OURS, TABLE, CMPXCHG = "qspinlock", "queue", "held-table", "qspinlock-cmpxchg"
#: Ours with parts left out that it needs: a bound for every other form of it.
BARE = "queue-bare"
#: The head passes its place on when it has the lock, not before.
LATE = "queue-late"
#: A lock to compare with BASE, and a number of threads; Long 2015 measured CMPXCHG.
RATIOS = (
    (CMPXCHG, 16),
    (OURS, 3),
    (OURS, 4),
    (OURS, 16),
    (OURS, 48),
    (OURS, 192),
    (LATE, 4),
    (LATE, 48),
    (LATE, 192),
    (BARE, 4),
    (BARE, 48),
    (BARE, 192),
    (TABLE, 48),
    (TABLE, 192),
)
ACQUISITIONS = 20_000


def ratio(sim, lock, threads, hardware, load, single):
    """Throughput as a multiple of BASE's with the same seed: one for each seed."""

    def rates(which):
        job = model.job("x86_64", "open1", threads, hardware, load, single, which)
        return seeds.rates(sim, {**job, "acquisitions": ACQUISITIONS})

    return rates(lock) / rates(BASE)


def compare(sim, single, calibrate):
    """A row for each cost: error of the held-out points, and ratios (median, low, high).

    calibrate: upgrade_ns -> hardware, load of open1, error
    """
    rows = []
    for upgrade in UPGRADES_NS:
        hardware, load, error = calibrate(upgrade)
        found = {
            f"{lock} {n}": seeds.spread(ratio(sim, lock, n, hardware, load, single))
            for lock, n in RATIOS
        }
        rows.append({"upgrade": upgrade or hardware["local"], "error": error, **found})
    return pd.DataFrame(rows)


def as_good(table, margin=0.01):
    """Rows whose error is hardly larger than the least one: the tables do not decide among them."""
    return table[table.error <= table.error.min() + margin]


def span(table, column):
    """From the lowest end of an interval to the highest one."""
    low, high = np.array(table[column].tolist())[:, 1:].T
    return float(low.min()), float(high.max())
