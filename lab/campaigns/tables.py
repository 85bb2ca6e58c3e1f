# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
"""Tables of a campaign, beside the published ones.

[[table]]: name, title, rows (an axis), columns (axes), value (a measured column, a sum of columns,
or a quotient of these: "A / A + B"), and optionally unit (of the scaled value, for the heading and
for charts), where (the values that all cells of the table have, each one or a list), scale, digits,
and published: a file of lab/machines/published, with "published_rows",
"published_where", "published_scale" and the columns to show, or with "published_pivot", the column
whose values become columns. "published_only": nothing is measured. "published_eval": NAME = "an
expression of published columns". "published_curves": COLUMN = "lock" has the columns that are of
this value and unit, for charts, and whose they are. Published columns stand first.

A cell of a table is a mean over rounds and over nothing else: an axis that a table names nowhere
must have one value. "sum" names axes over which the values of a round are added up. A star marks a
value that was measured, at least once, on a machine that was busy or slowed down (quality.py).

"relative" is the column that others are compared with: in percent, or with style = "speedup" as a
factor, where the standard deviation has columns of its own. That is the median of the ratios inside
a round, with its 95 % interval by order statistics."""

import functools
import pathlib
import re

import documents
import pandas as pd
from errors import CampaignError
from intervals import median_interval

PREFIX = "published "
#: What follows the name of a column in those that are made of it.
ADDED = (" stddev", " stddev %", " speedup", " rel")
BUSY = " *"
BUSY_NOTE = "* at least one round on a busy or slowed-down machine: measure again (README)"
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
        frame = frame[frame[key].isin(wanted if isinstance(wanted, list) else [wanted])]
    return frame


def heading(spec):
    return f"{spec['title']}, {spec['unit']}" if "unit" in spec else spec["title"]


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


def _names(spec):
    return [spec["rows"], *columns_of(spec)]


def _values(frame, spec, axes):
    """The values of a table: one for each row, column and round."""
    frame = picked(frame, spec.get("where", {}))
    added = spec.get("sum", [])
    check_pooled(frame, _names(spec), [a for a in axes if a not in added], spec["title"])
    busy = frame.get("busy", False)
    data = frame.assign(value=value(frame, spec["value"]) * spec.get("scale", 1), busy=busy)
    return _summed(data, _names(spec), added)


def _means(data, spec):
    grouped = data.groupby(_names(spec), sort=False)
    return grouped.agg(
        mean=("value", "mean"), std=("value", "std"), busy=("busy", "any")
    ).reset_index()


def cells(frame, spec, axes=()):
    """rows, columns -> mean, std, and whether the machine was busy."""
    return frame if frame.empty else _means(_values(frame, spec, axes), spec)


def _text(row, digits):
    """Mean and deviation; a number of more than three digits has fewer behind the point."""
    if pd.isna(row["mean"]):
        return "-"
    digits = max(0, digits - max(0, len(f"{abs(row['mean']):.0f}") - 3))
    spread = "" if pd.isna(row["std"]) else f" ±{row['std']:.{digits}f}"
    return f"{row['mean']:.{digits}f}{spread}{BUSY if row['busy'] else ''}"


def _number(form):
    return lambda x: "-" if pd.isna(x) else format(x, form)


def _joined(name, part, digits):
    """Mean and deviation in one column."""
    return {name: part.apply(_text, axis=1, args=(digits,))}


def _apart(name, part, digits):
    """As in Dwivedi 2025: three columns."""
    deviation, percent = part["std"], part["std"] / part["mean"] * 100
    return {
        name: part["mean"].map(_number(f".{digits}f")) + part["busy"].map({True: BUSY, False: ""}),
        f"{name} stddev": deviation.map(_number(f".{digits}f")),
        f"{name} stddev %": percent.map(_number(".2f")),
    }


def _parts(data, spec):
    """Name of a column -> its part of the data."""
    grouped = data.groupby(columns_of(spec), sort=False)
    return {" ".join(map(str, key)): part for key, part in grouped}


def _ratio(ratios, speedup):
    """The median, and the interval if there are several rounds."""
    show = (lambda x: f"{x:.2f}") if speedup else (lambda x: f"{(x - 1) * 100:+z.0f}")
    mid, low, high = map(show, median_interval(list(ratios)))
    text = mid if speedup else f"{mid} %"
    return f"{text} ({low} to {high})" if len(ratios) > 1 else text


def _compared(data, spec, speedup):
    """Each column beside the one that is called relative: ratios inside a round."""
    data = data if "round" in data else data.assign(round=1)
    rounds = {
        name: part.groupby([spec["rows"], "round"])["value"].mean()
        for name, part in _parts(data, spec).items()
    }
    base = rounds.pop(spec.get("relative"), None)
    for name, values in rounds.items() if base is not None else ():
        ratios = (values / base).dropna().groupby(level=0)
        texts = {row: _ratio(part, speedup) for row, part in ratios}
        yield f"{name} {'speedup' if speedup else 'rel'}", pd.Series(texts, dtype=object)


def _ordered(rows):
    """Numbers by size, names as they came."""
    return sorted(rows) if pd.api.types.is_numeric_dtype(rows) else list(rows)


def _measured(frame, spec, axes):
    data, out = _values(frame, spec, axes), {}
    speedup = spec.get("style") == "speedup"
    for name, part in _parts(_means(data, spec), spec).items():
        part = part.set_index(spec["rows"])
        out |= (_apart if speedup else _joined)(name, part, spec.get("digits", 2))
    table = pd.DataFrame(out | dict(_compared(data, spec, speedup)))
    return table.reindex(_ordered(data[spec["rows"]].unique()))


def where_columns(spec):
    """Published columns that have one value in all rows: they are not shown."""
    return spec.get("published_where", {})


def published(spec):
    """The published columns, with PREFIX in front of their names."""
    where = PUBLISHED / spec["published"]
    data = pd.read_csv(where, comment="#")
    data = picked(data, spec.get("published_where", {}))
    if "published_pivot" in spec:
        order = data[spec["published_pivot"]].unique()
        data = data.pivot(index=spec["rows"], columns=spec["published_pivot"], values="per_second")
        data = data[order]
        return (data * spec.get("scale", 1)).add_prefix(PREFIX)
    data = data.set_index(spec.get("published_rows", spec["rows"]))
    if "published_scale" in spec:
        numbers = data.select_dtypes("number").columns
        data[numbers] = (data[numbers] * spec["published_scale"]).round(spec.get("digits", 2))
    names = spec.get("published_columns", [c for c in data if c not in where_columns(spec)])
    for name, expression in spec.get("published_eval", {}).items():
        data[name] = data.eval(expression).round(2)
        names = [*names, name]
    return data[names].add_prefix(PREFIX)


@functools.cache
def author(name):
    """AUTHOR YEAR of a published table: of the document that has claims of it."""
    for document in documents.every().values():
        sources = [source for claim in document["claim"] for source in claim.get("published", [])]
        if any(source.get("table") == name for source in sources):
            return documents.name_of(document)
    raise CampaignError(f"{name}: no document has claims of it")


def curves(spec):
    """Published figures of a table's value: "AUTHOR YEAR: LOCK" -> values by row."""
    if "published_curves" not in spec:
        return {}
    data, whose = published(spec), author(spec["published"])
    return {
        f"{whose}: {lock}": data[PREFIX + column].dropna()
        for column, lock in spec["published_curves"].items()
    }


def build(frame, spec, axes=()):
    """One table as text: published columns, then ours. axes: those of the campaign."""
    only = spec.get("published_only") or frame.empty
    ours = pd.DataFrame() if only else _measured(frame, spec, axes)
    if "published" not in spec:
        return ours.astype(object).fillna("-")
    theirs = published(spec)
    both = theirs.join(ours, how="outer") if not ours.empty else theirs
    both.index.name = spec["rows"]
    return both.astype(object).fillna("-")


def is_measured(frame, spec):
    """Are the figures of a table or chart in any row? Without them, what is "optional" is left out
    of the pages: older results, and counters that a machine lacks."""
    values = [t["value"] for t in spec.get("tables", [])] or [spec.get("value", spec.get("y"))]
    names = [name.strip() for text in values for name in re.split(r"[+/]", text)]
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
