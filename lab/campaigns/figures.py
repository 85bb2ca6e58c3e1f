# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
"""Figures out of rows: a selection, an expression, what to show of it; and how far two are apart.

Of a source's rows, "where" selects some; "pivot" = [COLUMN, VALUE] makes columns of COLUMN's values
("per" says what a row is then); "value" is an expression of columns; "by" the columns that tell one
value from another. Several values of one key, as of rounds, count with their median, or with
"spread" with their deviation as a share of their mean. "show" is one of SHOWS."""

import dataclasses

import numpy as np
import pandas as pd
import sources
from errors import CampaignError

#: Van Riel 2013: "5-10 % variation".
VARIATION = 0.05


@dataclasses.dataclass(frozen=True)
class Figure:
    """values: by key; number: what they come to, if that is one number; text: as it is shown."""

    values: pd.Series
    number: float | None
    text: str
    origin: str = ""
    state: str = ""
    evidence: str = ""


class NoRows(CampaignError):
    """Nothing is selected: a campaign may not have come so far."""


def geometric_mean(values):
    return float(np.exp(np.log(values).mean()))


def _only(values):
    if len(values) != 1:
        raise CampaignError(f"{len(values)} values where there must be one: {list(values)[:5]}")
    return float(values.iloc[0])


#: What is shown of the values: one number, or None and a text of all of them.
SHOWS = {
    "one": _only,
    "geomean": geometric_mean,
    "mean": lambda values: float(values.mean()),
    "median": lambda values: float(values.median()),
    "least": lambda values: float(values.min()),
    "most": lambda values: float(values.max()),
    "sum": lambda values: float(values.sum()),
    "count": len,
    "range": None,
    "each": None,
    "keys": None,
}


def _pivoted(frame, spec):
    column, value = spec["pivot"]
    wanted = spec.get("where", {}).get(column)
    if isinstance(wanted, list) and set(wanted) - set(frame[column]):
        raise NoRows(f"no rows: {spec}")
    frame = frame.pivot_table(index=spec["per"], columns=column, values=value, sort=False)
    return frame.reset_index()


def selected(frame, spec):
    """The values that a specification means, by key."""
    frame = sources.matching(frame, spec.get("where", {}))
    if frame.empty:
        raise NoRows(f"no rows: {spec}")
    if "pivot" in spec:
        frame = _pivoted(frame, spec)
    values = frame.eval(spec.get("value", "value"))
    if "by" in spec:
        keys = [frame[key] for key in np.atleast_1d(spec["by"])]
        values = _joined(values.groupby(keys, sort=False), spec)
    values = values.dropna()
    if values.empty:
        raise NoRows(f"no rows: {spec}")
    return values


def _joined(grouped, spec):
    """One value for each key."""
    if not pd.api.types.is_numeric_dtype(grouped.obj):
        return grouped.first()
    return grouped.std() / grouped.mean() if spec.get("spread") else grouped.median()


def _spelled(number, spec):
    return f"{number:.{spec.get('digits', 2)}f}"


def text_of(values, number, spec):
    """As a table shows it, with the unit once."""
    unit, show = spec.get("unit", ""), spec.get("show", "one")
    if show == "keys":
        text = ", ".join(str(key) for key in values.index)
    elif number is not None:
        text = _spelled(number, spec)
    elif show == "range":
        ends = [_spelled(values.min(), spec), _spelled(values.max(), spec)]
        text = " to ".join(dict.fromkeys(ends))
    else:
        text = ", ".join(_spelled(value, spec) for value in values)
    return f"{text} {unit}".strip()


def figure(rows, spec, state):
    values = selected(rows.frame, spec)
    if not pd.api.types.is_numeric_dtype(values):
        return Figure(values, None, "; ".join(map(str, values)), rows.origin, state)
    values = values.astype(float) * spec.get("scale", 1)
    show = SHOWS[spec.get("show", "one")]
    number = None if show is None else float(show(values))
    return Figure(values, number, text_of(values, number, spec), rows.origin, state)


def find(specs, here):
    """The figure of the first source that has rows, or None."""
    for spec in specs:
        rows, state, evidence = sources.rows_of(spec, here)
        if rows is None:
            continue
        try:
            return dataclasses.replace(figure(rows, spec, state), evidence=evidence)
        except NoRows:
            if "campaign" not in spec:
                raise
    return None


def _pairs(ours, theirs):
    both = pd.concat([ours.values, theirs.values], axis=1, join="inner")
    if both.empty:
        raise CampaignError("no value of ours has a published one with the same key")
    return both.iloc[:, 0], both.iloc[:, 1]


def _points(ours, theirs, _):
    mine, published = _pairs(ours, theirs)
    return f"{(mine / published - 1).abs().mean():.1%} in {len(mine)} points".replace("%", " %")


def _off(ours, theirs, _):
    mine, published = _pairs(ours, theirs)
    return f"off by {(mine - published).abs().mean():.3f} in {len(mine)} points"


def _percent(ours, theirs, _):
    return f"{(ours.number / theirs.number - 1) * 100:+.1f} %"


def _farthest(ours, theirs, _):
    apart = ours.values / theirs.number - 1
    return f"{apart[apart.abs().idxmax()] * 100:+.1f} % at most"


def _ratio(ours, theirs, _):
    return f"x {ours.number / theirs.number:.3g}"


def _difference(ours, theirs, spec):
    """In the unit of the figures; of percentages in points."""
    unit = spec.get("unit", "").replace("%", "points")
    return f"{_signed(ours.number - theirs.number, spec)} {unit}".strip()


def _signed(number, spec):
    return f"{number:+.{spec.get('digits', 2)}f}" if number else "0"


def _covered(ours, theirs, _):
    have = set(theirs.values.index) & set(ours.values.index)
    return f"{len(have)} of {len(theirs.values)}"


def _direction(ours, theirs, _):
    """Both above 1, or both below: is one faster than the other?"""
    side = (ours.number > 1) == (theirs.number > 1)
    return "same direction" if side else "other direction"


def _below(ours, *_):
    return f"holds in {int((ours.values < 1).sum())} of {len(ours.values)}"


def _within(ours, theirs, _):
    """Between the least and the most that was published."""
    inside = ours.values.between(theirs.values.min(), theirs.values.max())
    return f"holds in {int(inside.sum())} of {len(inside)}"


def _no_worse(ours, *_):
    """At least 1, or less by no more than the measured values vary."""
    return f"holds in {int((ours.values >= 1 - VARIATION).sum())} of {len(ours.values)}"


#: How far ours is from the published figure: a function of both, and of the claim.
ERRORS = {
    "percent": _percent,
    "ratio": _ratio,
    "difference": _difference,
    "points": _points,
    "off": _off,
    "covered": _covered,
    "direction": _direction,
    "below": _below,
    "no worse": _no_worse,
    "within": _within,
    "farthest": _farthest,
    "none": lambda *_: "no figure published",
}
