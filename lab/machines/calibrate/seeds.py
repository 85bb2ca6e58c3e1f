# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
"""Many seeds. The order of a queue that is never empty is drawn once and stays; on two sockets it
decides how often the lock crosses. So one run is one draw, and figures are over many of them."""

import sys

import numpy as np
from simulator import ROOT

sys.path.insert(0, str(ROOT / "selftests/kernel/bench"))
from stats import median_interval  # noqa: E402

SEEDS = range(1, 11)


def runs(sim, job):
    return [sim.run({**job, "seed": seed}) for seed in SEEDS]


def rates(sim, job):
    return np.array([sim.rate({**job, "seed": seed}) for seed in SEEDS])


def spread(values):
    """The median and its 95 % interval by order statistics."""
    return tuple(map(float, median_interval(list(values))))


def text(values, digits=2):
    mid, low, high = spread(values)
    return f"{mid:.{digits}f} [{low:.{digits}f}, {high:.{digits}f}]"
