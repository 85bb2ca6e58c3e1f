# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
"""What two simple rules predict from the points that calibrate the simulator, and from no others.

Straight lines connect the points; t(N) = a + b * P(N) has the share P of hand-overs to another
socket. open2 and lock2 have points on one socket only. On two sockets their sister, open1 or lock1,
stands in, scaled to the table's own points on one."""

import numpy as np
from published import MACHINES

#: From here on there is always a queue, so that a hand-over takes the same time on one socket.
FROM_THREADS = 16
SISTER = {"open2": "open1", "lock2": "lock1"}


def share_of(sockets, cores, threads):
    """Share P for threads in random order, placed on one socket after the other."""
    n = min(threads, sockets * cores)
    on_each = [min(cores, max(0, n - s * cores)) for s in range(sockets)]
    return 1 - sum(k * k for k in on_each) / n**2


def remote_share(arch, threads):
    sockets, cores, _ = MACHINES[arch]
    return share_of(sockets, cores, threads)


def shares(arch, threads):
    return np.array([remote_share(arch, n) for n in threads])


def fit(rows):
    """a and b of these rows, which are of one machine, in ns."""
    b, a = np.polyfit(shares(rows.arch.iloc[0], rows.threads), 1e9 / rows.rate.to_numpy(), 1)
    return a, b


def training(table, arch, benchmark):
    """The table's own training points, and those of its sister; the same if it has none."""
    rows = table[table.train & (table.arch == arch)].sort_values("threads")
    return (rows[rows.benchmark == b] for b in (benchmark, SISTER.get(benchmark, benchmark)))


def lines(table, arch, benchmark, threads):
    """Rates on straight lines. Beyond the own points: the sister's, meeting the last own one."""
    own, source = training(table, arch, benchmark)
    last = own.threads.max()
    scale = own.rate.iloc[-1] / np.interp(last, source.threads, source.rate)
    near = np.interp(threads, own.threads, own.rate)
    return np.where(threads <= last, near, scale * np.interp(threads, source.threads, source.rate))


def formula(table, arch, benchmark, threads):
    """Rates of a + b * P, times what the own points take of it. Without a queue: the lines."""
    own, source = (
        t[t.threads >= FROM_THREADS] for t in training(table, arch, benchmark)
    )  # fmt: skip
    a, b = fit(source)
    scale = (1e9 / own.rate).mean() / (a + b * shares(arch, own.threads)).mean()
    rate = 1e9 / (scale * (a + b * shares(arch, threads)))
    return np.where(threads < FROM_THREADS, lines(table, arch, benchmark, threads), rate)


RULES = {"lines": lines, "a + bP": formula}


def predict(table, rows):
    """What each rule says for rows of one table: name -> rates."""
    first, threads = rows.iloc[0], rows.threads.to_numpy()
    return {name: rule(table, first.arch, first.benchmark, threads) for name, rule in RULES.items()}
