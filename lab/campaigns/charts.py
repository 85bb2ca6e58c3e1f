# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
"""Charts of a campaign. [[chart]]: title, x (an axis or a column), y (as a table's value), series
(a column), and optionally where, facets (columns, a chart for each of their values), kind ("line"
or "bar"), log, and [chart.scale.COLUMN] VALUE = factor, the unit of a table beside it. As in a
table, an axis that is named nowhere must have one value: the interval is one over rounds. Points
that were measured on a busy machine are open, such bars are hatched."""

import plotly.graph_objects as go
import tables
from compare import median_interval


def _scale(frame, spec):
    factor = 1
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


def _trace(points, name, kind):
    xs, mid, low, high, busy = zip(*points, strict=True)
    error = {
        "type": "data",
        "symmetric": False,
        "array": [h - m for m, h in zip(mid, high, strict=True)],
        "arrayminus": [m - lo for m, lo in zip(mid, low, strict=True)],
    }
    if kind == "bar":
        marker = {"pattern": {"shape": ["/" if b else "" for b in busy]}}
        return go.Bar(x=[str(x) for x in xs], y=mid, error_y=error, name=name, marker=marker)
    marker = {"symbol": ["circle-open" if b else "circle" for b in busy]}
    return go.Scatter(x=xs, y=mid, error_y=error, name=name, mode="lines+markers", marker=marker)


def _figure(frame, spec, suffix=""):
    figure = go.Figure()
    for name, part in frame.groupby(spec["series"], sort=False):
        points = _points(part, spec)
        if points:
            figure.add_trace(_trace(points, str(name), spec.get("kind", "line")))
    figure.update_layout(
        title=spec["title"] + suffix,
        xaxis_title=spec["x"],
        yaxis_title=spec["y"],
        template="plotly_white",
        height=520,
    )
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
