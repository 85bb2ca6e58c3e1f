# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
"""Tables as HTML: whose a column is, and what is ours, can be seen at once."""

import html

import pandas as pd
import styles
import tables

TALL = 12  # rows


def _texts(column):
    """The cells of a column as text; numbers have as many digits as the longest of them."""
    numbers = [x for x in column if isinstance(x, int | float)]
    digits = max((len(f"{x:.10g}".partition(".")[2]) for x in numbers), default=0)
    return [f"{x:.{digits}f}" if isinstance(x, int | float) else x for x in column]


def _deviations(table, name):
    """The column that has the deviations of a column's means, or None."""
    stem = name.removesuffix("_mean")
    known = (f"{name} stddev", f"{name}_stddev", f"{stem}_std")
    return next((other for other in known if other in table), None)


def _both(mean, deviation):
    """One round has a mean, and no deviation."""
    star = tables.BUSY if mean.endswith(tables.BUSY) else ""
    return mean if deviation == "-" else f"{mean.removesuffix(star)} ±{deviation}{star}"


def merged(table):
    """Means with their deviations in one column, where there is one for each."""
    texts = {name: _texts(table[name]) for name in table}
    spread = {name: _deviations(table, name) for name in table}
    out = {}
    for name, cells in texts.items():
        if name in spread.values() or name.endswith(" stddev %"):
            continue
        other = texts.get(spread[name])
        pairs = zip(cells, other, strict=True) if other else ()
        out[name.removesuffix("_mean")] = [_both(*pair) for pair in pairs] if other else cells
    return pd.DataFrame(out, index=table.index)


def worded(table, frame, spec):
    """The table, its columns named as a reader knows kernels and locks. frame: its results."""
    names = tables.columns_of(spec)
    if not set(names) <= set(frame):
        return table
    keys = list(frame[names].drop_duplicates().itertuples(index=False))
    known = {" ".join(map(str, key)): styles.values(names, key) for key in keys}
    shown = {
        name: known[raw] + name.removeprefix(raw)
        for name in table
        for raw in known
        if name.removeprefix(raw) in ("", *tables.ADDED)
    }
    return table.rename(columns=shown)


def _marked(name, cell):
    """A cell of a column as HTML, or the column's name; published ones are slanted."""
    text = html.escape(str(cell))
    return f"<em>{text}</em>" if name.startswith(tables.PREFIX) else text


def _groups(table, spec):
    """Names of columns as HTML, below whose they are."""
    theirs = f"<em>published: {html.escape(tables.author(spec['published']))}</em>"
    return pd.MultiIndex.from_tuples(
        (theirs, _marked(name, name.removeprefix(tables.PREFIX)))
        if name.startswith(tables.PREFIX)
        else ("measured here", html.escape(name))
        for name in table
    )


def _table(table, spec):
    """A table as HTML. Published columns come first, and have a background of their own."""
    theirs = sum(name.startswith(tables.PREFIX) for name in table)
    marked = pd.DataFrame({name: [_marked(name, cell) for cell in table[name]] for name in table})
    marked.index = [html.escape(styles.title(str(row))) for row in table.index]
    marked.columns = _groups(table, spec) if theirs else [html.escape(name) for name in table]
    head = f'<colgroup><col><col class="published" span="{theirs}"></colgroup>' if theirs else ""
    corner = [*[""] * bool(theirs), html.escape(styles.words(spec["rows"]))]
    text = marked.rename_axis(columns=corner).to_html(border=0, escape=False)
    return text.replace("<thead>", f"{head}<thead>", 1)


def parts(table, spec):
    """A tall table without the rows that are not ours, which a click shows."""
    ours = [name for name in table if not name.startswith(tables.PREFIX)]
    measured = (table[ours] != "-").any(axis=1)
    if len(table) <= TALL or measured.all():
        yield _table(table, spec)
        return
    if measured.any():
        yield _table(table[measured], spec)
    yield f"<details><summary>published only: {(~measured).sum()} rows</summary>"
    yield _table(table.loc[~measured, [name for name in table if name not in ours]], spec)
    yield "</details>"
