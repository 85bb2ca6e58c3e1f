# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
"""Compares two folders of results of the same campaign, cell by cell, with intervals."""

import pandas as pd
import tables
from errors import CampaignError
from intervals import median_interval


def _medians(frame, axes, value):
    data = frame.assign(value=tables.value(frame, value))
    return {
        key: (*median_interval(part["value"].tolist()), len(part))
        for key, part in data.groupby(axes)
    }


def axes_of(campaign):
    return [a for a in campaign.all_axes if a != "round"]


def left_out(one, other, campaign):
    """Number of cells, regardless of the round, that are in only one of the two."""
    a, b = (set(map(tuple, f[axes_of(campaign)].values.tolist())) for f in (one, other))
    return len(a ^ b)


def build(one, other, campaign, value):
    for name, frame in (("A", one), ("B", other)):
        if frame.empty:
            raise CampaignError(f"{name} has no results of {campaign.name} yet")
    axes = [a for a in axes_of(campaign) if a in one and a in other]
    a, b = _medians(one, axes, value), _medians(other, axes, value)
    rows = []
    for key in a:
        if key not in b:
            continue
        (m1, l1, h1, n1), (m2, l2, h2, n2) = a[key], b[key]
        apart = "yes" if h1 < l2 or h2 < l1 else "no"
        apart = apart if min(n1, n2) > 1 else "one round"
        rows.append([*key, f"{m1:.4g} ({l1:.4g} .. {h1:.4g})", f"{m2:.4g} ({l2:.4g} .. {h2:.4g})",
                     f"{m2 / m1:.3f}" if m1 else "-", apart])  # fmt: skip
    return pd.DataFrame(rows, columns=[*axes, "A", "B", "B / A", "intervals apart"])
