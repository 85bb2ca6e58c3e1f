# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
"""Do variants differ from the stock one? Published means and deviations are enough for that: the
test of Welch for each pair, and the correction of Holm, because there are many pairs."""

import pandas as pd
from scipy.stats import ttest_ind_from_stats

BASE, RUNS = "stock", 5
KEYS = ["machine", "writers"]


def corrected(p):
    """Holm's step-down: probabilities that may be compared with one level, all together."""
    order = p.sort_values().index
    steps = [p[i] * (len(p) - rank) for rank, i in enumerate(order)]
    return pd.Series(steps, index=order).cummax().clip(upper=1).reindex(p.index)


def compare(table):
    """A row for each machine, number of writers and variant: p (Welch), holm, change, spread."""
    rows = [
        {**{key: row[key] for key in KEYS}, "variant": name, **_difference(row, name)}
        for _, row in table.iterrows()
        for name in (c.removesuffix("_mean") for c in table if c.endswith("_mean"))
        if name != BASE
    ]
    frame = pd.DataFrame(rows)
    return frame.assign(holm=corrected(frame.p))


def _difference(row, name):
    mine = row[f"{name}_mean"], row[f"{name}_std"]
    base = row[f"{BASE}_mean"], row[f"{BASE}_std"]
    test = ttest_ind_from_stats(*mine, RUNS, *base, RUNS, equal_var=False)
    return {"p": test.pvalue, "change": mine[0] / base[0] - 1, "spread": mine[1] / mine[0]}
