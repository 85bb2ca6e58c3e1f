# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
"""How charts look: a lock has one colour on all pages, ours are emphasised, rivals are grey."""

SEEN_FIRST = 7  # series; the reader turns the others on in the legend

#: Series that are ours, by the first words of their names.
OURS = {
    "rqspinlock-hybrid": "#e08e0b",
    "rqspinlock-tas": "#00798c",
    "rqspinlock": "#c8324a",
    "6.12-rqspin-lean hybrid": "#e08e0b",
    "6.12-rqspin-lean": "#c8324a",
}
#: The others. Each has a grey, a dash and a mark of its own, the same on all pages.
RIVALS = (
    "qspinlock", "upstream", "held-table", "ticket", "cna", "queued-cmpxchg", "queued-store",
    "upstream-tas", "pv-queued", "pv-hybrid", "unfair", "ticket-auto", "ticket-10x", "ticket-50x",
    "ticket-250x", "host", "debian-7", "6.12-rqspin-base",
)  # fmt: skip
GREYS = ("#1c1c1c", "#8a8a8a", "#555555", "#b5b5b5", "#6f6f6f", "#cfcfcf", "#3a3a3a")
DASHES = ("solid", "dash", "dot", "dashdot")
MARKS = ("circle", "square", "diamond", "triangle-up", "cross")

NAMES = {
    "host": "this machine's kernel",
    "debian-7": "stock 7.x",
    "6.12-rqspin-base": "stock 6.12",
    "6.12-rqspin-lean": "patched 6.12",
}
WORDS = {
    "threads": "threads",
    "writers": "writers",
    "per_second": "operations per second",
    "longest_ms": "longest wait, ms",
    "p50_ns": "median, ns",
    "p99_ns": "99 of 100 take at most, ns",
    "what": "kind of map or lock",
    "scenario": "deadlock",
    "case": "flows",
    "program": "program",
    "storm": "deadlocks of others",
    "hold_ms": "the owner holds the lock for, ms",
    "waiters": "waiters",
}


def title(name):
    """A place as a reader knows it: "patched 6.12, hybrid"; other names as they are."""
    kernel, *path = name.split()
    known = NAMES.get(kernel, name if not path else kernel)
    return f"{known}, {path[0]}" if path and path[0] != "queue" else known


def words(column):
    """What stands at an axis."""
    return WORDS.get(column, column.replace("_", " "))


def is_ours(name):
    return any(name.startswith(ours) for ours in OURS)


def _rival(name):
    kernel = name.split()[0]
    return RIVALS.index(kernel) if kernel in RIVALS else len(RIVALS)


def look(name):
    """Colour, dash, mark and width of a series."""
    for ours, colour in OURS.items():
        if name.startswith(ours):
            return {"colour": colour, "dash": "solid", "mark": "circle", "width": 3}
    i = _rival(name)
    return {
        "colour": GREYS[i % len(GREYS)],
        "dash": DASHES[i // len(GREYS) % len(DASHES)],
        "mark": MARKS[i % len(MARKS)],
        "width": 1.5,
    }


def seen(names):
    """Which series show at first: ours, then the others in their order, SEEN_FIRST in all."""
    first = sorted(names, key=lambda name: not is_ours(name))
    return set(first[:SEEN_FIRST])


def layout(figure, x, y, ticks=None):
    """Words at the axes, the legend below where a phone has room for it, a tick for each x."""
    figure.update_layout(
        template="plotly_white",
        height=520,
        margin={"l": 60, "r": 20, "t": 60, "b": 60},
        legend={"orientation": "h", "yref": "container", "yanchor": "bottom", "y": 0, "x": 0},
        xaxis_title=x,
        yaxis_title=y,
    )
    if ticks:
        figure.update_xaxes(tickmode="array", tickvals=ticks)
