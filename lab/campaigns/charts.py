# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
"""Charts of a campaign.

[[chart]]: title, tables (names: their value, scale and unit are those of the chart, so both say the
same), x (an axis or a column), series (a column), and optionally where, facets (columns, a chart
for each of their values), x_title, y_title (words in front of the unit), kind ("line", "bar" or
"points": bars have no length where the axis is logarithmic), log, log_x and [chart.at] VALUE = what
stands at the axis for a value of x; values without that are left out. A chart whose value is in no
table says so: it has "y", as a table's value, and "unit" in the place of "tables". In a chart, and
in each of its facets, all values have one unit. Lines come with the published curves of their
tables, which are hidden at first if there are many.

As in a table, an axis that is named nowhere must have one value: the interval is one over rounds.
Points that were measured on a busy machine are open, such bars are hatched."""

import pandas as pd
import plotly.graph_objects as go
import styles
import tables
from errors import CampaignError
from intervals import median_interval


def _valued(frame, table):
    """The rows of a table, with its value and unit."""
    rows = tables.picked(frame, table.get("where", {}))
    value = tables.value(rows, table["value"]) * table.get("scale", 1)
    return rows.assign(y=value, unit=table["unit"], table=table.get("name"))


def _data(frame, spec):
    """The rows that a chart shows; none of them twice."""
    own = {"value": spec["y"], "unit": spec.get("unit")}
    parts = [_valued(frame, table) for table in spec.get("tables", [own])]
    rows = tables.picked(pd.concat(parts, verify_integrity=True), spec.get("where", {}))
    return _placed(rows, spec["x"], spec["at"]) if "at" in spec else rows


def _placed(rows, x, at):
    """The rows whose x has a place, there."""
    rows = rows[rows[x].isin(at)]
    return rows.assign(**{x: [at[value] for value in rows[x]]})


def _unit(data, title):
    units = list(data["unit"].unique())
    if len(units) != 1:
        raise CampaignError(f"'{title}' has several units: {', '.join(units)}")
    return units[0]


def _points(data, spec):
    """x -> median and interval, and whether the machine was busy."""
    out = []
    for x, part in data.groupby(spec["x"], sort=False):
        values = part["y"].dropna().tolist()
        if values:
            busy = "busy" in part and bool(part["busy"].any())
            out.append((x, *median_interval(values), busy))
    return out


def _trace(points, name, spec):
    xs, mid, low, high, busy = zip(*points, strict=True)
    look = styles.look(name)
    common = {
        "y": mid,
        "name": styles.title(name),
        "error_y": {
            "type": "data",
            "symmetric": False,
            "array": [h - m for m, h in zip(mid, high, strict=True)],
            "arrayminus": [m - lo for m, lo in zip(mid, low, strict=True)],
        },
    }
    if spec.get("kind") == "bar":
        pattern = {"shape": ["/" if b else "" for b in busy]}
        marker = {"color": look["colour"], "pattern": pattern}
        return go.Bar(x=_categories(xs), marker=marker, **common)
    marker = {"symbol": [look["mark"] + ("-open" if b else "") for b in busy], "size": 8}
    if spec.get("kind") == "points":
        marker |= {"color": look["colour"], "size": 11}
        return go.Scatter(x=_categories(xs), mode="markers", marker=marker, **common)
    line = {"color": look["colour"], "dash": look["dash"], "width": look["width"]}
    return go.Scatter(x=xs, mode="lines+markers", marker=marker, line=line, **common)


def _categories(xs):
    return [styles.title(str(x)) for x in xs]


def _curves(data, spec):
    """Published curves of the tables that these rows are of."""
    named = [table for table in spec.get("tables", []) if table["name"] in set(data["table"])]
    return {name: curve for table in named for name, curve in tables.curves(table).items()}


def _published_trace(name, curve, look):
    marker = {"symbol": look["mark"], "size": 8, "color": look["colour"]}
    line = {"color": look["colour"], "dash": look["dash"], "width": 1}
    return go.Scatter(x=list(curve.index), y=list(curve), name=name, mode="lines+markers",
                      marker=marker, line=line)  # fmt: skip


def _published_add(figure, curves):
    """Published curves behind ours; a click in the legend shows them where they are too many."""
    few = len(figure.data) + len(curves) <= styles.SEEN_FIRST
    for i, (name, curve) in enumerate(curves.items()):
        trace = _published_trace(name, curve, styles.look_published(i))
        figure.add_trace(trace.update(visible=True if few else "legendonly"))


def _ticks(xs, spec):
    """A tick for each number of threads, or each power of two; names have theirs anyway."""
    if spec.get("kind", "line") != "line" or not all(isinstance(x, int | float) for x in xs):
        return None
    if spec.get("log_x"):
        return [2**i for i in range(int(max(xs)).bit_length())]
    return sorted(xs)


def _axes(figure, data, spec, title):
    """Words and units at the axes, and what is logarithmic."""
    ticks = _ticks({x for trace in figure.data for x in trace.x}, spec)
    what = [spec["y_title"]] if "y_title" in spec else []
    y = ", ".join([*what, _unit(data, title)])
    styles.layout(figure, spec.get("x_title", styles.words(spec["x"])), y, ticks)
    if spec.get("log"):
        ticks = styles.log_ticks([y for trace in figure.data for y in trace.y if y > 0])
        figure.update_yaxes(type="log", **ticks)
    if spec.get("log_x"):
        figure.update_xaxes(type="log")
    if spec.get("kind") == "points":  # side by side, as bars are
        figure.update_layout(scattermode="group")


def _figure(data, spec, suffix=""):
    figure = go.Figure()
    series = {str(name): part for name, part in data.groupby(spec["series"], sort=False)}
    shown = styles.seen(series)
    for name, part in series.items():
        points = _points(part, spec)
        if points:
            trace = _trace(points, name, spec)
            figure.add_trace(trace.update(visible=True if name in shown else "legendonly"))
    if spec.get("kind", "line") == "line":
        _published_add(figure, _curves(data, spec))
    title = spec["title"] + suffix
    figure.update_layout(title=title)
    _axes(figure, data, spec, title)
    return figure


def build(frame, spec, axes=()):
    """One figure, or one for each facet. axes: those of the campaign."""
    data = _data(frame, spec)
    if data.empty:
        return []
    facets = spec.get("facets", [])
    facets = [facets] if isinstance(facets, str) else facets
    tables.check_pooled(data, [spec["x"], spec["series"], *facets], axes, spec["title"])
    if not facets:
        return [_figure(data, spec)]
    return [
        _figure(part, spec, f": {styles.values(facets, values)}")
        for values, part in data.groupby(facets, sort=False)
    ]
