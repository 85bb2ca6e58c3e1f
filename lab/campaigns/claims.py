# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
"""What published documents claim, beside what this project shows of it.

documents/NAME.toml (documents.py) has for each claim "id", "claim" (one line), "command" (ours,
that shows it), "published" and "ours" (lists of sources: the first one that has rows counts;
figures.py says how a figure is selected; members of the claim hold for both), "error" (of ERRORS
there) and "missing": why there is nothing of ours. Without "published" the document has only words:
published/statements.csv quotes them."""

import re
import subprocess
import sys

import documents
import figures
import pandas as pd
import sources
from errors import CampaignError
from machine import TOP

EXPERIMENTS = TOP / "lab/machines/calibrate/experiments.py"
SCHEMA = "rqspin-claims/1"
PUBLISHED_ONLY, IN_WORDS, NONE = "published only", "in words", "-"
COLUMNS = ("id", "document", "claim", "state", "evidence", "command", "ours", "published")
COLUMNS += ("error", "from")
MEMBERS = {"id", "claim", "command", "published", "ours", "error", "missing"}
#: Members that hold for both figures of a claim unless one of them says otherwise.
SHARED = {"where", "value", "by", "show", "scale", "digits", "unit", "pivot", "per"}
NOT_RUN = "not measured or simulated here: {}"


def _checked(claim, stem):
    unknown = set(claim) - MEMBERS - SHARED
    if unknown or not {"id", "claim"} <= set(claim):
        raise CampaignError(f"{stem}.toml: claim {claim.get('id')}: unknown or missing: "
                            f"{', '.join(sorted(unknown)) or 'id, claim'}")  # fmt: skip
    return claim


def load():
    """All claims, each with the name of its document, in the order of their ids."""
    every = [
        {**_checked(claim, stem), "document": documents.name_of(data), "url": data.get("url")}
        for stem, data in documents.every().items()
        for claim in data["claim"]
    ]
    return sorted(every, key=lambda claim: _order(claim["id"]))


def _order(name):
    document, number, letter = re.fullmatch(r"(\d+)\.(\d+)([a-z]?)", name).groups()
    return int(document), int(number), letter


def chosen(ids):
    """The claims of these ids: 3 and 3.2 stand for all that begin so."""
    every = load()
    for name in ids:
        if not any(_is_of(claim["id"], name) for claim in every):
            raise CampaignError(f"no claim {name}; there are: {', '.join(c['id'] for c in every)}")
    return [c for c in every if not ids or any(_is_of(c["id"], name) for name in ids)]


def _is_of(claim, name):
    document, number, _ = _order(claim)
    return name in (str(document), f"{document}.{number}", claim)


def specs_of(claim, side):
    """The sources of a side, each with the members that both sides share."""
    shared = {key: claim[key] for key in SHARED & set(claim)}
    return [shared | spec for spec in claim.get(side, [])]


def statement(claim):
    """The words of the document, and its number if the words have one."""
    rows = sources.read_csv(sources.PUBLISHED / "statements.csv")
    rows = rows[rows.claim.astype(str) == claim["id"]]
    if len(rows) != 1:
        raise CampaignError(f"statements.csv: {len(rows)} rows for claim {claim['id']}")
    return rows.iloc[0]


def published(claim, here):
    """A figure of a published table; else the number in the document's words, if they have one."""
    found = figures.find(specs_of(claim, "published"), here)
    if found is not None:
        return found, None
    row = statement(claim)
    if pd.isna(row.value):
        return figures.Figure(pd.Series(dtype=float), None, IN_WORDS), row.quote
    rows = sources.Rows(pd.DataFrame([{"value": row.value}]), "")
    plain = {key: claim[key] for key in ("digits", "unit") if key in claim}
    return figures.figure(rows, plain, ""), row.quote


def _why(claim):
    return claim.get("missing") or NOT_RUN.format(claim.get("command", "-"))


def row_of(claim, here):
    """A row of the table, and for --json the numbers and the words behind it."""
    theirs, quote = published(claim, here)
    ours = figures.find(specs_of(claim, "ours"), here)
    row = {key: claim.get(key, NONE) for key in ("id", "document", "url", "claim", "command")}
    row |= {"published": theirs.text, "published_number": theirs.number, "quote": quote}
    if ours is None:
        nothing = dict.fromkeys(("evidence", "ours", "error"), NONE)
        return row | {"state": PUBLISHED_ONLY, **nothing, "ours_number": None, "from": _why(claim)}
    error = figures.ERRORS[claim.get("error", "none")](ours, theirs, claim)
    row |= {"state": ours.state, "evidence": ours.evidence, "from": ours.origin}
    return row | {"ours": ours.text, "ours_number": ours.number, "error": error}


def _named(claim, here):
    try:
        return row_of(claim, here)
    except CampaignError as err:
        raise CampaignError(f"claim {claim['id']}: {err}") from None


def table(claims, here):
    """A row for each claim."""
    return [_named(claim, here) for claim in claims]


def simulations(claims):
    """The names of those that these claims are shown with."""
    return sorted({spec["sim"] for c in claims for spec in c.get("ours", []) if "sim" in spec})


def simulate(names):
    """Runs simulations; their tables take the place of those of the checkout."""
    if names and subprocess.run(["make", "-s", "sim"], cwd=TOP).returncode:
        raise CampaignError("make sim fails")
    for name in names:
        out = sources.SIMULATED / f"{name}.csv"
        if subprocess.run([sys.executable, EXPERIMENTS, name, out], cwd=TOP).returncode:
            raise CampaignError(f"{EXPERIMENTS.name} {name} fails")


def text(rows):
    """Columns of equal width, one line for a claim."""
    lines = [COLUMNS, *([row[key] for key in COLUMNS] for row in rows)]
    widths = [max(map(len, column)) for column in zip(*lines, strict=True)]
    return "\n".join(
        "  ".join(cell.ljust(width) for cell, width in zip(line, widths, strict=True)).rstrip()
        for line in lines
    )


def as_json(rows):
    return {"schema": SCHEMA, "claims": rows}
