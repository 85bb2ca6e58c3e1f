# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
"""Charts of a campaign. [[chart]]: title, x (an axis or a column), y (as a table's value), series
(a column), and optionally where, facets (a column, a chart for each of its values), kind ("line" or
"bar"), log."""

import plotly.graph_objects as go
import tables
from compare import median_interval


def _points(frame, spec):
    """x -> median and interval."""
    data = frame.assign(y=tables.value(frame, spec["y"]))
    out = []
    for x, part in data.groupby(spec["x"], sort=False):
        values = part["y"].dropna().tolist()
        if values:
            out.append((x, *median_interval(values)))
    return out


def _trace(points, name, kind):
    xs, mid, low, high = zip(*points, strict=True)
    error = {
        "type": "data",
        "symmetric": False,
        "array": [h - m for m, h in zip(mid, high, strict=True)],
        "arrayminus": [m - lo for m, lo in zip(mid, low, strict=True)],
    }
    if kind == "bar":
        return go.Bar(x=[str(x) for x in xs], y=mid, error_y=error, name=name)
    return go.Scatter(x=xs, y=mid, error_y=error, name=name, mode="lines+markers")


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


def build(frame, spec):
    """One figure, or one for each facet."""
    frame = tables.picked(frame, spec.get("where", {}))
    if "facets" not in spec:
        return [_figure(frame, spec)]
    return [
        _figure(part, spec, f": {value}")
        for value, part in frame.groupby(spec["facets"], sort=False)
    ]
