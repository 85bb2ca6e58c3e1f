# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
"""Charts of a campaign. [[chart]]: title, x (an axis or a column), y (as a table's value), series
(a column), and optionally where, facets (columns, a chart for each of their values), kind ("line"
or "bar"), log, factor (of all values) and unit (what stands at the axis then), so that chart and
table have one unit, and [chart.scale.COLUMN] VALUE = factor, where that depends on a column. As in
a table, an axis that is named nowhere must have one value: the interval is one over rounds. Points
that were measured on a busy machine are open, such bars are hatched."""

import plotly.graph_objects as go
import styles
import tables
from compare import median_interval


def _scale(frame, spec):
    factor = spec.get("factor", 1)
    for column, factors in spec.get("scale", {}).items():
        factor = factor * frame[column].map(lambda v, f=factors: f.get(str(v), 1))
    return factor


def _points(frame, spec):
    """x -> median and interval, and whether the machine was busy."""
    data = frame.assign(y=tables.value(frame, spec["y"]) * _scale(frame, spec))
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
        return go.Bar(x=[str(x) for x in xs], marker=marker, **common)
    marker = {"symbol": [look["mark"] + ("-open" if b else "") for b in busy], "size": 8}
    line = {"color": look["colour"], "dash": look["dash"], "width": look["width"]}
    return go.Scatter(x=xs, mode="lines+markers", marker=marker, line=line, **common)


def _ticks(frame, spec):
    """A tick for each number of threads; names have theirs anyway."""
    xs = sorted(set(frame[spec["x"]]), key=str)
    numbers = all(isinstance(x, int | float) for x in xs)
    return sorted(xs) if numbers and spec.get("kind") != "bar" else None


def _figure(frame, spec, suffix=""):
    figure = go.Figure()
    series = {str(name): part for name, part in frame.groupby(spec["series"], sort=False)}
    shown = styles.seen(series)
    for name, part in series.items():
        points = _points(part, spec)
        if points:
            trace = _trace(points, name, spec)
            figure.add_trace(trace.update(visible=True if name in shown else "legendonly"))
    figure.update_layout(title=spec["title"] + suffix)
    unit = spec.get("unit", styles.words(spec["y"]))
    styles.layout(figure, styles.words(spec["x"]), unit, _ticks(frame, spec))
    if spec.get("log"):
        figure.update_yaxes(type="log")
    return figure


def _facet_name(facets, values):
    """The values; a number is followed by the name of its facet."""
    return ", ".join(
        f"{value} {facet}" if isinstance(value, int | float) else str(value)
        for facet, value in zip(facets, values, strict=True)
    )


def build(frame, spec, axes=()):
    """One figure, or one for each facet. axes: those of the campaign."""
    frame = tables.picked(frame, spec.get("where", {}))
    facets = spec.get("facets", [])
    facets = [facets] if isinstance(facets, str) else facets
    tables.check_pooled(frame, [spec["x"], spec["series"], *facets], axes, spec["title"])
    if not facets:
        return [_figure(frame, spec)]
    return [
        _figure(part, spec, f": {_facet_name(facets, values)}")
        for values, part in frame.groupby(facets, sort=False)
    ]
