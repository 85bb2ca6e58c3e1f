# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
"""Where the figures of a claim come from. Each kind of source makes a data frame, and says in a
line what it is: measured here, simulated, written down with machine and date, or counted."""

import dataclasses
import functools
import hashlib
import itertools
import operator
import pathlib
import re
import tomllib

import campaign as campaigns
import pandas as pd
import significance
import store
from errors import CampaignError
from machine import TOP

PUBLISHED = TOP / "lab/machines/published"
SIMULATED = TOP / "build/lab/machines/claims"
#: Simulated figures of the checkout, for those who have simulated nothing themselves.
RECORDED = TOP / "lab/machines/recorded"
SIMULATOR = ("core", "locks", "run")
TOPOLOGIES = TOP / "lab/machines/topologies"
#: Titles of the columns of a table of figures (docs/evaluation.md).
FIGURES = ("name", "what", "figure", "command", "machine", "date")

REPRODUCED, SIMULATION = "reproduced", "simulated"
MEASURED, COMPUTED, WRITTEN, COUNTED, TESTED = (
    "measured",
    "computed",
    "recorded",
    "counted",
    "tested",
)


@dataclasses.dataclass(frozen=True)
class Here:
    """The results of this machine: a folder, and whether they are of quick runs."""

    folder: pathlib.Path
    quick: bool = False


@dataclasses.dataclass(frozen=True)
class Rows:
    """A source's rows, and where they are from."""

    frame: pd.DataFrame
    origin: str


def read_csv(path):
    try:
        return pd.read_csv(path, comment="#")
    except (OSError, ValueError) as err:
        raise CampaignError(f"{path}: no table ({err})") from None


def head_of(path):
    """The "# key: value" lines in front of a simulated table."""
    lines = path.read_text().splitlines()
    return dict(re.findall(r"^# (\w+): (.*)$", "\n".join(lines[:8]), re.M))


def published_rows(spec, _):
    name = spec["table"]
    return Rows(read_csv(PUBLISHED / name), f"computed from published/{name}")


@functools.cache
def simulator_id():
    """Tells what simulated figures depend on from other versions of it."""
    names = [(d, "*.[ch]") for d in SIMULATOR] + [("calibrate", "*.py"), ("topologies", "*.json")]
    paths = sorted(p for d, what in names for p in (TOP / "lab/machines" / d).glob(what))
    paths = [p for p in paths if not p.name.startswith("test_")]
    return hashlib.sha256(b"".join(path.read_bytes() for path in paths)).hexdigest()[:12]


def simulated_rows(spec, _):
    """Those of this machine, else those of the checkout."""
    name = f"{spec['sim']}.csv"
    path = SIMULATED / name if (SIMULATED / name).exists() else RECORDED / name
    if not path.exists():
        return None
    head = head_of(path)
    kind = "recorded" if path.parent == RECORDED else "simulated"
    since = "" if head["sources"] == simulator_id() else ", the simulator has changed since"
    origin = f"{kind}: {head['cpu']}, {head['cpus']} CPUs, {head['date'][:10]}{since}"
    return Rows(read_csv(path), origin)


def doubts_of(c, frame, quick):
    """What makes results worth less than those of a whole campaign on a quiet machine."""
    total = len(list(c.cells()))
    busy = ", busy machine" if not frame.empty and frame.busy.any() else ""
    partly = f", {len(frame)} of {total} cells" if len(frame) < total else ""
    return busy + partly + (", quick" if quick else "")


def measured_rows(spec, here):
    """A campaign's results on this machine, or nothing if it was not run."""
    c = campaigns.load(spec["campaign"], here.quick)
    st = store.Store(here.folder / c.name, c)
    if not (st.folder / store.HEAD).exists():
        return None
    m = st.head()["machine"]
    frame = st.frame()
    origin = f"measured: {m['cpu']}, {m['cpus']} CPUs, {m['date'][:10]}, {m['commit']}"
    origin += doubts_of(c, frame, here.quick)
    return None if frame.empty else Rows(frame, origin)


def figure_lines(path):
    """The lines of a document's table of figures: cells by their titles."""
    _, _, rest = path.read_text().partition(f"| {' | '.join(FIGURES)} |\n")
    lines = itertools.takewhile(lambda line: line.startswith("|"), rest.splitlines()[1:])
    cells = [[cell.strip() for cell in line.strip("|").split("|")] for line in lines]
    return [dict(zip(FIGURES, line, strict=True)) for line in cells]


def row_rows(spec):
    """Figures of a line. One may have its key in front, as in "1: 0.98, 2: 1.01". A dash in their
    place: not measured yet."""
    lines = figure_lines(TOP / spec["recorded"])
    found = [line for line in lines if line["name"] == spec["row"]]
    if len(found) != 1:
        raise CampaignError(f"{spec['recorded']}: {len(found)} lines of figures: {spec['row']}")
    text, machine, date = (found[0][key] for key in ("figure", "machine", "date"))
    if text == "-":
        return None
    pairs = re.findall(r"(?:(\w+): )?([0-9.]+)", text)
    frame = pd.DataFrame({"value": [float(number) for _, number in pairs]})
    if "by" in spec:
        frame[spec["by"]] = [int(key) if key.isdigit() else key for key, _ in pairs]
    return Rows(frame, f"recorded: {spec['recorded']}, {machine}, {date}")


def document_rows(spec, _):
    """Figures that a document of the project has: a line of a table, or the groups of a regular
    expression."""
    if "row" in spec:
        return row_rows(spec)
    texts = [" ".join(path.read_text().split()) for path in TOP.glob(spec["recorded"])]
    found = [hit for text in texts for hit in re.findall(spec["find"], text)]
    if len(found) != 1:
        raise CampaignError(f"{spec['recorded']}: {len(found)} times: {spec['find']}")
    groups = found[0] if isinstance(found[0], tuple) else (found[0],)
    numbers = list(map(float, groups))
    origin = f"counted in {spec['recorded']}"
    if "machine" in spec:
        origin = f"recorded: {spec['recorded']}, {spec['machine']}, {spec['date']}"
    if "value" in spec:
        return Rows(pd.DataFrame([{f"g{i}": n for i, n in enumerate(numbers, 1)}]), origin)
    return Rows(pd.DataFrame({"value": numbers}), origin)


def axis_rows(spec, _):
    """The values of one axis of a campaign, or of a list that it hands to its command."""
    c = campaigns.load(spec["axis_of"])
    values = c.axes.get(spec["axis"], c.fixed.get(spec["axis"]))
    if isinstance(values, str):
        values = [int(text) for text in values.split(",")]
    values = values if isinstance(values, list) else [values]
    return Rows(pd.DataFrame({spec["axis"]: values}), f"counted in {c.name}.toml")


def topology_rows(spec, _):
    path = TOPOLOGIES / spec["topology"]
    return Rows(pd.DataFrame([store.read_json(path, "a topology")]), f"counted in {path.name}")


def changed_lines(patch):
    """(file, added, removed) of each file of a patch; a hunk's lines, not the heads."""
    file, counts = None, {}
    for line in patch.splitlines():
        if line.startswith("diff --git "):
            file = None
        elif line.startswith("+++ "):
            file = line[4:].removeprefix("b/")
        elif line.startswith("-- "):
            file = None
        elif file and line[:1] in "+-" and line:
            counts.setdefault(file, [0, 0])["+-".index(line[0])] += 1
    return [(name, *both) for name, both in counts.items()]


def patch_files(spec):
    """The patches of these titles; a title that is gone, or is two, is an error."""
    for title in spec["titles"]:
        found = list((TOP / spec["patches"]).glob(f"????-{title}*.patch"))
        if len(found) != 1:
            raise CampaignError(f"{spec['patches']}: {len(found)} patches {title}")
        yield found[0]


def patch_rows(spec, _):
    rows = [
        {"patch": path.name, "file": name, "added": added, "removed": removed}
        for path in patch_files(spec)
        for name, added, removed in changed_lines(path.read_text())
    ]
    return Rows(pd.DataFrame(rows), f"counted in {spec['patches']}")


def list_rows(spec, _):
    """The tables of an array of a TOML file."""
    path = TOP / spec["list_of"]
    frame = pd.DataFrame(tomllib.loads(path.read_text())[spec["list"]])
    return Rows(frame.assign(value=1), f"counted in {spec['list_of']}")


def test_rows(spec, _):
    """A test of the project that must pass; it is there, under this name."""
    text = (TOP / spec["test"]).read_text()
    if spec["has"] not in text:
        raise CampaignError(f"{spec['test']}: has no {spec['has']}")
    return Rows(pd.DataFrame([{"value": spec["says"]}]), f"test: {spec['has']} in {spec['test']}")


def significance_rows(spec, _):
    name = spec["significance"]
    frame = significance.compare(read_csv(PUBLISHED / name))
    return Rows(frame, f"computed from published/{name}")


#: The member that tells the kind of a source: how its rows are made, what state the claim is in
#: then, and what sort of evidence that is.
KINDS = {
    "campaign": (measured_rows, REPRODUCED, MEASURED),
    "recorded": (document_rows, REPRODUCED, WRITTEN),
    "axis_of": (axis_rows, REPRODUCED, COUNTED),
    "list_of": (list_rows, REPRODUCED, COUNTED),
    "patches": (patch_rows, REPRODUCED, COUNTED),
    "test": (test_rows, REPRODUCED, TESTED),
    "table": (published_rows, REPRODUCED, COMPUTED),
    "significance": (significance_rows, REPRODUCED, COMPUTED),
    "sim": (simulated_rows, SIMULATION, SIMULATION),
    "topology": (topology_rows, SIMULATION, COUNTED),
}


def kind_of(spec):
    kinds = [kind for kind in KINDS if kind in spec]
    if len(kinds) != 1:
        raise CampaignError(f"{spec}: names {len(kinds)} sources, not one: {', '.join(KINDS)}")
    return kinds[0]


def rows_of(spec, here):
    """Rows of a source, or None if nothing was measured or simulated yet; state; evidence."""
    make, state, evidence = KINDS[kind_of(spec)]
    rows = make(spec, here)
    if kind_of(spec) == "recorded" and not {"machine", "row"} & set(spec):
        evidence = COUNTED
    if rows and "remark" in spec:
        rows = dataclasses.replace(rows, origin=f"{spec['remark']}; {rows.origin}")
    return rows, state, evidence


def matching(frame, where):
    """Rows whose columns have one value, or one of a list."""
    masks = [
        frame[key].isin(wanted) if isinstance(wanted, list) else frame[key] == wanted
        for key, wanted in where.items()
    ]
    return frame[functools.reduce(operator.and_, masks)] if masks else frame
