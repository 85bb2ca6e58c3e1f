# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
"""Tables of a campaign, beside the published ones.

[[table]]: name, title, rows (an axis), columns (axes), value (a measured column, a sum of columns,
or a quotient of these: "A / A + B"), in [where] the values that all cells of the table have, and
optionally scale, digits, and published: a file of lab/machines/published, with "published_rows",
"published_where", "published_scale" and the columns to show, or with "published_pivot", the column
whose values become columns. "published_only": nothing is measured. "published_eval": NAME = "an
expression of published columns".

A cell of a table is a mean over rounds and over nothing else: an axis that a table names nowhere
must have one value. "sum" names axes over which the values of a round are added up. A star marks a
value that was measured, at least once, on a busy machine.

"relative" is the column that others are compared with: in percent, or with style = "speedup" as a
factor, where the standard deviation has columns of its own."""

import pathlib
import re

import pandas as pd
from errors import CampaignError

BUSY = " *"
BUSY_NOTE = "* at least one round on a busy machine: measure again (README)"
PUBLISHED = pathlib.Path(__file__).resolve().parents[1] / "machines/published"


def number(frame, name):
    """A column as numbers: NaN where it is absent, an error where it is text."""
    column = pd.to_numeric(frame[name], errors="coerce")
    words = frame[column.isna() & frame[name].notna()]
    if not words.empty:
        where = words["cell"].iloc[0] if "cell" in words else "a row"
        raise CampaignError(f"{where}: {name} is no number: {words[name].iloc[0]!r}")
    return column


def _total(frame, text):
    """A column, or the sum of several."""
    parts = [part.strip() for part in text.split("+")]
    for part in parts:
        if part not in frame:
            raise CampaignError(f"no '{part}' in these results; there are: {', '.join(frame)}")
    return sum(number(frame, part) for part in parts)


def value(frame, text):
    """A column or a sum of columns, or the quotient of two of these; 0 / 0 is no value."""
    numbers = [_total(frame, part) for part in text.split("/")]
    return numbers[0] if len(numbers) == 1 else numbers[0] / numbers[1]


def picked(frame, where):
    for key, wanted in where.items():
        frame = frame[frame[key] == wanted]
    return frame


def columns_of(spec):
    return spec["columns"] if isinstance(spec["columns"], list) else [spec["columns"]]


def check_pooled(frame, names, axes, title):
    """Refuses a mean over an axis that is not named: it looks as good as any other mean."""
    for axis in axes:
        if axis in ("round", *names) or axis not in frame:
            continue
        several = frame.groupby(names, dropna=False)[axis].nunique(dropna=False) > 1
        if several.any():
            found = ", ".join(map(str, frame[axis].unique()))
            raise CampaignError(f"'{title}' would be a mean over {axis} ({found}): name it")


def _summed(data, names, axes):
    """Adds up the values over some axes, which leaves one value for a round."""
    if not axes:
        return data
    rest = [*names, *(["round"] if "round" in data else [])]
    grouped = data.groupby(rest, sort=False)
    return grouped.agg(value=("value", "sum"), busy=("busy", "any")).reset_index()


def cells(frame, spec, axes=()):
    """rows, columns -> mean, std, and whether the machine was busy."""
    if frame.empty:
        return frame
    frame = picked(frame, spec.get("where", {}))
    names, added = [spec["rows"], *columns_of(spec)], spec.get("sum", [])
    check_pooled(frame, names, [a for a in axes if a not in added], spec["title"])
    busy = frame.get("busy", False)
    data = frame.assign(value=value(frame, spec["value"]) * spec.get("scale", 1), busy=busy)
    grouped = _summed(data, names, added).groupby(names, sort=False)
    return grouped.agg(
        mean=("value", "mean"), std=("value", "std"), busy=("busy", "any")
    ).reset_index()


def _text(row, digits):
    if pd.isna(row["mean"]):
        return "-"
    spread = "" if pd.isna(row["std"]) else f" ±{row['std']:.{digits}f}"
    return f"{row['mean']:.{digits}f}{spread}{BUSY if row['busy'] else ''}"


def _number(form):
    return lambda x: "-" if pd.isna(x) else format(x, form)


def _joined(name, part, digits):
    """Mean and deviation in one column."""
    return {name: part.apply(_text, axis=1, args=(digits,))}


def _apart(name, part, digits):
    """As in the first document: three columns."""
    deviation, percent = part["std"], part["std"] / part["mean"] * 100
    return {
        name: part["mean"].map(_number(f".{digits}f")) + part["busy"].map({True: BUSY, False: ""}),
        f"{name} stddev": deviation.map(_number(f".{digits}f")),
        f"{name} stddev %": percent.map(_number(".2f")),
    }


def _compared(name, mean, base, speedup):
    if speedup:
        return {f"{name} speedup": (mean / base).map(_number(".2f"))}
    rel = (mean / base - 1) * 100
    return {f"{name} rel": rel.map(lambda x: "-" if pd.isna(x) else f"{x:+.0f} %")}


def _measured(frame, spec, axes):
    data, columns = cells(frame, spec, axes), columns_of(spec)
    speedup = spec.get("style") == "speedup"
    out, means = {}, {}
    for key, part in data.groupby(columns, sort=False):
        name = " ".join(map(str, key))
        part = part.set_index(spec["rows"])
        means[name] = part["mean"]
        out |= (_apart if speedup else _joined)(name, part, spec.get("digits", 2))
    base = means.get(spec.get("relative"))
    for name, mean in means.items() if base is not None else ():
        if name != spec["relative"]:
            out |= _compared(name, mean, base, speedup)
    return pd.DataFrame(out)


def where_columns(spec):
    """Published columns that have one value in all rows: they are not shown."""
    return spec.get("published_where", {})


def published(spec):
    """The published columns, with "published" in front of their names."""
    where = PUBLISHED / spec["published"]
    data = pd.read_csv(where, comment="#")
    data = picked(data, spec.get("published_where", {}))
    if "published_pivot" in spec:
        data = data.pivot(index=spec["rows"], columns=spec["published_pivot"], values="per_second")
        return (data * spec.get("scale", 1)).rename(columns=lambda name: f"published {name}")
    data = data.set_index(spec.get("published_rows", spec["rows"]))
    if "published_scale" in spec:
        numbers = data.select_dtypes("number").columns
        data[numbers] = (data[numbers] * spec["published_scale"]).round(spec.get("digits", 2))
    names = spec.get("published_columns", [c for c in data if c not in where_columns(spec)])
    for name, expression in spec.get("published_eval", {}).items():
        data[name] = data.eval(expression).round(2)
        names = [*names, name]
    return data[names].rename(columns=lambda name: f"published {name}")


def build(frame, spec, axes=()):
    """One table as text: our columns, then the published ones. axes: those of the campaign."""
    only = spec.get("published_only") or frame.empty
    ours = pd.DataFrame() if only else _measured(frame, spec, axes)
    if "published" not in spec:
        return ours.astype(object).fillna("-")
    theirs = published(spec)
    both = ours.join(theirs, how="outer") if not ours.empty else theirs
    both.index.name = spec["rows"]
    return both.astype(object).fillna("-")


def is_measured(frame, spec, text):
    """Is the figure in any row? Without it, what is "optional" is left out of the pages: older
    results, and counters that a machine lacks."""
    names = [name.strip() for name in re.split(r"[+/]", text)]
    there = all(name in frame and frame[name].notna().any() for name in names)
    return there or not spec.get("optional")


def is_busy(table):
    """Does the table have a star?"""
    return bool(table.map(lambda cell: str(cell).endswith(BUSY)).to_numpy().any())


def find(all_campaigns, name):
    for campaign in all_campaigns:
        for spec in campaign.tables:
            if spec["name"] == name:
                return campaign, spec
    known = [s["name"] for c in all_campaigns for s in c.tables]
    raise CampaignError(f"no table '{name}'; there are: {', '.join(known)}")
