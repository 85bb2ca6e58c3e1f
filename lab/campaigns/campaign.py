# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
"""A campaign: a parameter space, and the command that measures one cell of it.

campaigns/NAME.toml:

    title, about               for people; documents that are named become links (documents.py)
    document                   whose experiment it is: a name in documents/
    command                    for the shell; {axis} stands for the value, or for the text that
                               [text.axis] has for it
    needs                      make targets, built before the first cell; "place" names kernels
    [axes] NAME = [values]     "place" says where: "host", or "KERNEL PATH CPUS" for a guest
    tries                      how often a cell is measured on a busy machine (3): quality.py; a
                               quick run repeats short cells only
    varies                     axes that the rows of one cell have, if a command prints "rows"
    [fixed] NAME = value       the same in all cells
    [quick] NAME = values      values of axes or of fixed in a quick run
    [[skip]] NAME = [values]   cells that have all of these are left out; "why" says why
    [[table]], [[chart]]       see tables.py and charts.py

Cells come in the order of the axes, the last one changes fastest. So with "round" as the first one
all cells are measured once before any is measured again, and drift affects all of them. Every
second round is backwards: a cell that precedes another one in a round follows it in the next."""

import dataclasses
import hashlib
import itertools
import json
import pathlib
import tomllib

from errors import CampaignError

FOLDER = pathlib.Path(__file__).resolve().parent / "campaigns"
SECTIONS = {"title", "about", "document", "command", "needs", "axes", "text", "fixed", "quick",
            "skip", "table", "chart", "varies", "tries"}  # fmt: skip
#: A quick run would take twice its time if guests were booted again for a busy hypervisor.
QUICK_AGAIN_S = 5


@dataclasses.dataclass(frozen=True)
class Cell:
    campaign: str
    params: dict
    command: str
    tries: int = 3
    #: What takes longer is not measured again.
    again_s: float = float("inf")

    @property
    def key(self):
        what = json.dumps([self.campaign, self.params, self.command], sort_keys=True)
        return hashlib.sha256(what.encode()).hexdigest()[:16]

    @property
    def place(self):
        return self.params.get("place", "host")

    def __str__(self):
        return " ".join(f"{k}={v}" for k, v in self.params.items())


class Campaign:
    def __init__(self, name, data, quick=False):
        self.name, self.data, self.quick = name, data, quick
        axes, fixed = dict(data["axes"]), dict(data.get("fixed", {}))
        for key, value in data.get("quick", {}).items() if quick else ():
            (axes if key in axes else fixed)[key] = value
        self.axes, self.fixed = axes, fixed
        self.title = data["title"]
        self.about = data.get("about", "")
        self.needs = [*data.get("needs", []), *self._kernels()]
        self.tables = data.get("table", [])
        self.charts = [self._chart(spec) for spec in data.get("chart", [])]
        self.all_axes = [*axes, *data.get("varies", [])]

    def _chart(self, spec):
        """A chart with its tables in the place of their names."""
        known = {table["name"]: table for table in self.tables}
        if unknown := set(spec.get("tables", [])) - set(known):
            raise CampaignError(f"{self.name}: a chart of no table: {', '.join(sorted(unknown))}")
        shown = [known[name] for name in spec.get("tables", [])]
        return {**spec, "y": shown[0]["value"], "tables": shown} if shown else spec

    def _kernels(self):
        """Targets for the kernels that are built here; selftests/vm fetches the others."""
        kernels = {str(place).split()[0] for place in self.axes.get("place", [])}
        return [f"guest-kernel-{k}" for k in sorted(kernels) if k.startswith("6.12-rqspin-")]

    def _text(self, axis, value):
        return self.data.get("text", {}).get(axis, {}).get(str(value), str(value))

    def _skipped(self, params):
        return any(
            all(params[k] in v for k, v in rule.items() if k != "why")
            for rule in self.data.get("skip", [])
        )

    def _points(self):
        """Points of all axes; forwards and backwards in turn, for the values of the first axis."""
        first, *rest = self.axes.values()
        for i, value in enumerate(first):
            points = list(itertools.product(*rest))
            for point in reversed(points) if i % 2 else points:
                yield value, *point

    def cells(self):
        for values in self._points():
            params = dict(zip(self.axes, values, strict=True))
            if self._skipped(params):
                continue
            texts = {k: self._text(k, v) for k, v in (self.fixed | params).items()}
            command = " ".join(self.data["command"].format(**texts).split())
            again = {"again_s": QUICK_AGAIN_S} if self.quick else {}
            yield Cell(self.name, params, command, self.data.get("tries", Cell.tries), **again)

    def skips(self):
        return [rule["why"] for rule in self.data.get("skip", [])]


def names():
    return sorted(path.stem for path in FOLDER.glob("*.toml"))


def load(name, quick=False):
    path = FOLDER / f"{name}.toml"
    # A name with a slash would lead to another folder.
    if name not in names():
        raise CampaignError(f"no campaign '{name}'; there are: {', '.join(names())}")
    data = tomllib.loads(path.read_text())
    unknown = set(data) - SECTIONS
    if unknown or not {"title", "command", "axes"} <= set(data):
        raise CampaignError(f"{path}: unknown or missing: {', '.join(sorted(unknown)) or 'title'}")
    return Campaign(name, data, quick)
