# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
"""What the overview begins with: a few sentences with figures, each with where it is from."""

import html
import pathlib
import tomllib

import figures
import machine
from errors import CampaignError

FILE = pathlib.Path(__file__).resolve().parent / "opening.toml"
MISSING = "(not measured here)"


def _figure(specs, here):
    """Text and origin of one figure. What the machine is needs no campaign."""
    if "fact" in specs[0]:
        return str(machine.facts()[specs[0]["fact"]]), "this machine"
    found = figures.find(specs, here)
    if found:
        return found.text, found.origin
    name = specs[0]["campaign"]
    return MISSING, f"rqspin-lab run {name}"


def _sentence(spec, here, pages):
    found = [_figure(specs, here) for specs in spec["figures"]]
    texts = [f"<b>{html.escape(text)}</b>" for text, _ in found]
    try:
        text = html.escape(spec["text"], quote=False).format("", *texts)
    except IndexError:
        raise CampaignError(f"{FILE.name}: more places than figures: {spec['text']}") from None
    origins = html.escape("; ".join(dict.fromkeys(origin for _, origin in found)))
    page = spec.get("page")
    link = f' <a href="{page}.html">The page.</a>' if page in pages else ""
    return f'<li>{text} <span class="origin">[{origins}]</span>{link}</li>'


def load():
    return tomllib.loads(FILE.read_text())["sentence"]


def sentences(here, pages=()):
    """The sentences as parts of a page; pages: the campaigns that have one beside it."""
    return ["<ol>", *(_sentence(spec, here, pages) for spec in load()), "</ol>"]
