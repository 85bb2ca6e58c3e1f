# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
"""A page for each campaign and one for all: charts, their data, published figures. The pages share
one script, plotly.min.js beside them, and need no network. Each chart also comes as SVG, if there
is a browser to draw it."""

import html
import pathlib
import tempfile

import charts
import documents
import markup
import plotly.graph_objects as go
import tables
from errors import CampaignError
from plotly.io import write_images
from plotly.offline import get_plotlyjs
from store import replace_whole

STYLE = """
body { font: 16px/1.5 system-ui, sans-serif; margin: 2em auto; max-width: 75em; padding: 0 1em }
table { border-collapse: collapse; font-size: 14px; display: block; overflow-x: auto }
td, th { border-bottom: 1px solid #ccc; padding: .25em .7em; text-align: right }
td { white-space: nowrap }
h2, h3 { margin-bottom: .3em }
th:first-child { position: sticky; left: 0; background: #fff }
th[colspan] { text-align: left; border-left: 2px solid #999; white-space: nowrap }
thead th { vertical-align: bottom }
@media (max-width: 40em) { tbody th { min-width: 7em } }
summary { cursor: pointer; color: #555 }
col.published { background: #fff4e0 }
em { color: #8a4b00 }
.origin { color: #666; font-size: 14px }
"""
HEAD = """<!DOCTYPE html>
<html lang="en"><head><meta charset="utf-8"><title>{title}</title>
<meta name="viewport" content="width=device-width"><link rel="icon" href="data:,">
<style>{style}</style><script src="{script}"></script></head><body>
"""
SCRIPT = "plotly.min.js"


def _page(title, parts):
    head = HEAD.format(title=html.escape(title), style=STYLE, script=SCRIPT)
    return head + "\n".join(parts) + "\n</body></html>\n"


def _rounds(frame):
    n = frame["round"].nunique() if "round" in frame else 1
    return "one round" if n == 1 else f"{n} rounds"


def _conditions(frame):
    """Load, and frequency where the kernel tells it."""
    text = f"load before a cell up to {frame['load'].max():.1f}"
    known = frame["mhz"].dropna() if "mhz" in frame else []
    if len(known):
        ends = dict.fromkeys(f"{mhz:.0f}" for mhz in (known.min(), known.max()))
        text += f", CPUs at {' to '.join(ends)} MHz"
    return text


def _machine(head, frame):
    m = head["machine"]
    return (
        f"<p>{html.escape(m['cpu'])}, {m['cpus']:d} CPUs, Linux {html.escape(m['kernel'])}, "
        f"{html.escape(m['date'])}, commit {html.escape(m['commit'])}; "
        f"{_rounds(frame)}, {_conditions(frame)}. A mean has its "
        "standard deviation behind it; charts show the median and its 95 % interval by order "
        "statistics (of less than six rounds: all of them). So do the columns rel and speedup, "
        "whose ratios are inside a round.</p>"
    )


def _published(campaign):
    """How the reader knows what is not ours."""
    if not any("published" in spec for spec in campaign.tables):
        return ""
    text = "What others have published is <em>brown and slanted</em>, first in a table."
    if any("published_curves" in spec for spec in campaign.tables):
        text += (
            " In charts it has grey, dashed lines with open marks, and the name of its author; "
            "where there are many lines it is hidden until you click that name."
        )
    return f"<p>{text}</p>"


def _tables(campaign, frame):
    for spec in campaign.tables:
        if not tables.is_measured(frame, spec):
            continue
        yield f"<h2>{html.escape(tables.heading(spec))}</h2>"
        table = markup.merged(tables.build(frame, spec, campaign.all_axes))
        yield from markup.parts(markup.worded(table, frame, spec), spec)
        if tables.is_busy(table):
            yield f"<p>{tables.BUSY_NOTE}</p>"
        yield f"<p><code>rqspin-lab table {spec['name']}</code></p>"


def _figures(campaign, frame):
    axes = campaign.all_axes
    measured = [s for s in campaign.charts if tables.is_measured(frame, s)]
    return [f for spec in measured for f in charts.build(frame, spec, axes)]


def _chart(figure, level=2):
    """The title is text of the page, because a phone wraps that."""
    title = f"<h{level}>{html.escape(figure.layout.title.text)}</h{level}>"
    figure = go.Figure(figure).update_layout(title=None, margin_t=20)
    # The bar of buttons would cover the lines on a phone; a double click shows all again.
    config = {"responsive": True, "displayModeBar": False}
    return title + figure.to_html(full_html=False, include_plotlyjs=False, config=config)


def _page_write(folder, name, title, parts):
    """The page, and the script of its charts."""
    replace_whole(folder / f"{name}.html", _page(title, parts))
    replace_whole(folder / SCRIPT, get_plotlyjs())


def _write_svg(figures, folder, name):
    """Only a browser can draw SVGs: without one there are only the pages. One draws all of them:
    to start it takes a second."""
    with tempfile.TemporaryDirectory() as drawn:
        new = [pathlib.Path(drawn, f"{name}-{i + 1}.svg") for i in range(len(figures))]
        try:
            write_images(figures, new, format="svg")
            images = [path.read_bytes() for path in new]
        except Exception as err:  # of kaleido, of the browser: none of them documented
            what = next(filter(str.strip, str(err).splitlines()), type(err).__name__)
            return f"no SVG of the charts: {what} (chromium is missing?)"
    for path, image in zip(new, images, strict=True):
        replace_whole(folder / path.name, image)
    return None


def campaign_page(store, folder, svg=True):
    """Writes the page of a campaign. Returns what could not be done, or None."""
    campaign, frame = store.campaign, store.frame()
    if frame.empty:
        raise CampaignError(f"{store.folder}: no cell is measured yet")
    figures = _figures(campaign, frame)
    parts = [
        f"<h1>{html.escape(campaign.title)}</h1>",
        f"<p>{documents.linked(campaign.about)}</p>",
    ]
    parts += [f"<p>Left out: {html.escape(why)}</p>" for why in campaign.skips()]
    parts += [_machine(store.head(), frame), _published(campaign)]
    parts += map(_chart, figures)
    parts += _tables(campaign, frame)
    parts.append('<p><a href="index.html">All campaigns</a></p>')
    _page_write(folder, campaign.name, campaign.title, parts)
    return _write_svg(figures, folder, campaign.name) if svg else None


#: The overview's order: what a deadlock costs, then an acquisition, alone and in programs, and at
#: the end what happens with more threads than CPUs.
STORY = (
    "resilience", "stalls", "storm", "micro", "rql", "will-it-scale", "bpf", "maps", "flows",
    "locktorture", "backoff", "pv", "convoy",
)  # fmt: skip


def _place(store):
    name = store.campaign.name
    return STORY.index(name) if name in STORY else len(STORY)


def overview(stores, folder, opening=()):
    parts = ["<h1>Evaluation</h1>", *opening]
    for store in sorted(stores, key=_place):
        c = store.campaign
        parts.append(f'<h2><a href="{c.name}.html">{html.escape(c.title)}</a></h2>')
        parts.append(f"<p>{documents.linked(c.about.strip())}</p>")
        parts += [_chart(figure, level=3) for figure in _figures(c, store.frame())[:1]]
    _page_write(folder, "index", "Evaluation", parts)
