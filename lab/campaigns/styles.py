# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
"""How charts look: a lock has one colour on all pages, ours are emphasised, rivals are grey."""

import math
import numbers

SEEN_FIRST = 7  # series; the reader turns the others on in the legend

#: Series that are ours, by the first words of their names.
OURS = {
    "rqspinlock-hybrid": "#e08e0b",
    "rqspinlock-tas": "#00798c",
    "rqspinlock": "#c8324a",
    "6.12-rqspin-lean hybrid": "#e08e0b",
    "6.12-rqspin-lean tas": "#00798c",
    "6.12-rqspin-lean": "#c8324a",
    "raw_res_spin_lock": "#c8324a",
}
#: The others. Each has a grey, a dash and a mark of its own, the same on all pages.
RIVALS = (
    "qspinlock", "upstream", "held-table", "ticket", "cna", "queued-cmpxchg", "queued-store",
    "upstream-tas", "pv-queued", "pv-hybrid", "unfair", "ticket-auto", "ticket-10x", "ticket-50x",
    "ticket-250x", "host", "debian-7", "6.12-rqspin-base",
    "raw_spin_lock", "mutex_lock", "rtmutex_lock", "rwsem_lock",
)  # fmt: skip
GREYS = ("#1c1c1c", "#8a8a8a", "#555555", "#a8a8a8", "#6f6f6f", "#999999", "#3a3a3a")
DASHES = ("solid", "dash", "dot", "dashdot")
MARKS = ("circle", "square", "diamond", "triangle-up", "cross")
PUBLISHED_GREYS = ("#555555", "#999999", "#777777")
PUBLISHED_MARKS = ("star-open", "hexagon-open", "star-diamond-open", "pentagon-open")

NAMES = {
    "host": "this machine's kernel",
    "debian-7": "stock 7.x",
    "6.12-rqspin-base": "stock 6.12",
    "6.12-rqspin-lean": "patched 6.12",
    "hash_no_prealloc": "hash that allocates",
    "lru_hash": "LRU hash",
    "abba": "ABBA",
    "2 + 2*1 behind": "2 members, 1 behind each",
    "2 + 2*1 in front": "2 members, 1 in front of each",
    "2 + 2*2 behind": "2 members, 2 behind each",
    "2 + 2*2 in front": "2 members, 2 in front of each",
    "3 + 3*1 behind": "3 members, 1 behind each",
    "3 + 3*1 in front": "3 members, 1 in front of each",
    "3 + 3*2 behind": "3 members, 2 behind each",
    "3 + 3*2 in front": "3 members, 2 in front of each",
}
WORDS = {
    "threads": "threads",
    "writers": "writers",
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
    if name in NAMES or kernel not in NAMES:
        return NAMES.get(name, name)
    return NAMES[kernel] if path[0] == "queue" else f"{NAMES[kernel]}, {path[0]}"


def values(names, found):
    """Values as a reader knows them; a number is followed by the name of its axis."""
    return ", ".join(
        f"{value} {name.removesuffix('s') if value == 1 else name}"
        if isinstance(value, numbers.Number)
        else title(str(value))
        for name, value in zip(names, found, strict=True)
    )


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


def look_published(i):
    """Colour, dash and mark of published points: greys, dashes and marks that no lock has."""
    return {
        "colour": PUBLISHED_GREYS[i % len(PUBLISHED_GREYS)],
        "dash": "longdash",
        "mark": PUBLISHED_MARKS[i % len(PUBLISHED_MARKS)],
    }


def seen(names):
    """Which series show at first: ours, then the others in their order, SEEN_FIRST in all."""
    first = sorted(names, key=lambda name: not is_ours(name))
    return set(first[:SEEN_FIRST])


def log_ticks(ys):
    """1, 2 and 5 in each power of ten, or the powers if these are many; plotly's own, if few."""
    if not ys:
        return {}
    low, high = (math.floor(math.log10(y)) for y in (min(ys), max(ys)))
    parts = (1, 2, 5) if high - low < 3 else (1,)
    ticks = [part * 10.0**power for power in range(low, high + 2) for part in parts]
    if sum(min(ys) <= tick <= max(ys) for tick in ticks) < 2:
        return {}
    return {"tickvals": ticks, "ticktext": [f"{tick:,.10g}".replace(",", " ") for tick in ticks]}


def layout(figure, x, y, ticks=None):
    """Words at the axes, the legend below, where a phone has a line for each, a tick for each x."""
    figure.update_layout(
        template="plotly_white",
        height=440 + 20 * len(figure.data),
        margin={"l": 60, "r": 20, "t": 60, "b": 60},
        legend={"orientation": "h", "yref": "container", "yanchor": "bottom", "y": 0, "x": 0},
        xaxis_title=x,
        yaxis_title=y,
    )
    if ticks:
        figure.update_xaxes(tickmode="array", tickvals=ticks)
