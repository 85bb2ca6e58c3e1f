# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
"""The baseline to beat: t(N) = a + b * P(N), P: share of hand-overs to another socket."""

import numpy as np
from published import MACHINES

FROM_THREADS = 16


def remote_share(arch, threads):
    """Share P for threads in random order, placed on one socket after the other."""
    sockets, cores, _ = MACHINES[arch]
    n = min(threads, sockets * cores)
    far = max(0, n - cores)
    return 2 * far * (n - far) / n**2


def fit(rows):
    """Predictions of a and b fitted on these very rows, which flatters them."""
    share = np.array([remote_share(r.arch, r.threads) for r in rows.itertuples()])
    time = 1e9 / rows.rate.to_numpy()
    b, a = np.polyfit(share, time, 1)
    return 1e9 / (a + b * share)
