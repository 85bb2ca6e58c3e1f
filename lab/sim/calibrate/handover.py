# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
"""What our hand-over costs, and what the published tables say of it.

Our owner passes its place on with an exchange on a line that it shares, where qspinlock has a plain
store. What such a write costs is no free parameter of the model: by default as much as a write to a
line that the CPU does not have. So it is set here to less and less, the rest is calibrated anew,
and the error of what was held out shows which of these the tables can tell apart."""

import numpy as np
import pandas as pd
import seeds

import model

#: 0: the whole way, as everywhere else. Shorter than an atomic in the own cache it cannot be.
UPGRADES_NS = (0, 20, 10, 2)
BASE, OURS, TABLE, CMPXCHG = "qspinlock", "queue", "held-table", "qspinlock-cmpxchg"
#: Another lock beside BASE, at so many threads; CMPXCHG is what the third document measured.
RATIOS = (
    (CMPXCHG, 16),
    (OURS, 3),
    (OURS, 4),
    (OURS, 16),
    (OURS, 48),
    (OURS, 192),
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
    """A row for each cost: error of what was held out, and ratios (median, low, high).

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
    """The rows whose error is hardly larger than the least one: the tables decide for none."""
    return table[table.error <= table.error.min() + margin]


def span(table, column):
    """From the lowest end of an interval to the highest one."""
    low, high = np.array(table[column].tolist())[:, 1:].T
    return float(low.min()), float(high.max())
