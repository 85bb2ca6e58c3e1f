# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
"""Claims of the published documents: complete, computed from their figures, with a source each."""

import itertools
import json
import math
import re
import subprocess
import sys

import claims
import figures
import jsonschema
import machine
import opening
import pandas as pd
import pytest
import significance
import sources
from conftest import measure
from errors import CampaignError
from machine import TOP

LAB = [sys.executable, str(TOP / "lab/campaigns/rqspin-lab")]
STATES = {"reproduced", "simulated", "published only"}
TEXTS = list(claims.COLUMNS)
EVERY = claims.load()
DOCUMENTS = {"1": "Dwivedi 2025", "2": "Paolillo 2023", "3": "Long 2015", "4": "Long 2017",
             "5": "van Riel 2013"}  # fmt: skip
NUMBERS = {"1": 18, "2": 8, "3": 6, "4": 6, "5": 7}


@pytest.fixture
def nothing_here(tmp_path, monkeypatch):
    """A machine on which nothing was measured or simulated."""
    monkeypatch.setattr(sources, "SIMULATED", tmp_path / "simulated")
    return sources.Here(tmp_path)


@pytest.fixture(scope="module")
def table(tmp_path_factory):
    folder = tmp_path_factory.mktemp("nothing")
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(sources, "SIMULATED", folder / "simulated")
        return {row["id"]: row for row in claims.table(EVERY, sources.Here(folder))}


def run(*args, code=0):
    res = subprocess.run([*LAB, "claims", *args], capture_output=True, text=True)
    assert res.returncode == code, res.stderr
    return res


def test_every_claim_is_there(table):
    """Each document's claims, numbered without a gap."""
    for number, last in NUMBERS.items():
        mine = [name for name in table if name.startswith(f"{number}.")]
        found = {int(re.match(r"\d+\.(\d+)", name)[1]) for name in mine}
        assert found == set(range(1, last + 1)), number
        assert {table[name]["document"] for name in mine} == {DOCUMENTS[number]}
        assert len({table[name]["url"] for name in mine}) == 1
    assert len(table) == len(EVERY), "an id is there twice"


def test_no_row_is_empty(table):
    for name, row in table.items():
        assert all(row[key] for key in TEXTS), name
        assert row["state"] in STATES
        if row["state"] == claims.PUBLISHED_ONLY:
            assert len(row["from"]) > 20, f"{name}: why?"
            assert row["ours"] == row["error"] == row["evidence"] == claims.NONE
        else:
            shown = row["ours"], row["error"], row["command"], row["evidence"]
            assert claims.NONE not in shown, name


def test_all_states_are_there(table):
    assert {row["state"] for row in table.values()} == STATES


def test_a_claim_is_one_short_line():
    for claim in EVERY:
        assert len(claim["claim"]) <= 72 and "\n" not in claim["claim"], claim["id"]


def test_two_numbers_are_compared(table):
    for claim in EVERY:
        row = table[claim["id"]]
        if None not in (row["ours_number"], row["published_number"]):
            assert claim["error"] != "none", claim["id"]


def test_published_figures_are_from_tables_with_a_source():
    """No published figure is typed into a claim: all are in tables that name author and year."""
    for claim in EVERY:
        stems = [sources.kind_of(spec) for spec in claims.specs_of(claim, "published")]
        assert set(stems) <= {"table"}, claim["id"]
        for spec in claims.specs_of(claim, "published"):
            head = (sources.PUBLISHED / spec["table"]).read_text().split("\n", 1)[0]
            author, year = claim["document"].rsplit(" ", 1)
            assert head.startswith("# Published: ") and author.split()[-1] in head, claim["id"]
            assert year in spec["table"]


def test_each_statement_has_a_claim():
    rows = sources.read_csv(sources.PUBLISHED / "statements.csv")
    wordy = {claim["id"] for claim in EVERY if "published" not in claim}
    assert set(rows.claim.astype(str)) == wordy


#: As the documents print them: the columns that they compute from their own figures.
PRINTED = [
    ("rqspinlock-2025.csv", {"benchmark": "locktorture", "arch": "arm64", "threads": 2},
     "rql / ql", 1.39, 2),
    ("rqspinlock-2025.csv", {"benchmark": "locktorture", "arch": "x86_64", "threads": 192},
     "rql / ql", 1.07, 2),
    ("rqspinlock-2025.csv", {"benchmark": "open1", "arch": "arm64", "threads": 256},
     "rql / ql", 1.03, 2),
    ("rqspinlock-2025.csv", {"benchmark": "lock2", "arch": "x86_64", "threads": 2},
     "rql / ql", 1.29, 2),
    ("rqspinlock-2025.csv", {"benchmark": "open1", "arch": "x86_64", "threads": 144},
     "ql_stddev / ql * 100", 2.16, 2),
    ("rtmutex-locktorture-2023.csv", {"machine": "gigabyte-96c", "writers": 95},
     "(relaxed_mean / stock_mean - 1) * 100", 229, 0),
    ("rtmutex-locktorture-2023.csv", {"machine": "taishan200-96c", "writers": 2},
     "(relaxed_mean / stock_mean - 1) * 100", 16, 0),
    ("rtmutex-locktorture-2023.csv", {"machine": "taishan200-96c", "writers": 95},
     "(relaxed_readonce_mean / stock_mean - 1) * 100", -27, 0),
    ("simple-write-2015.csv", {"nodes": "same", "layout": "standalone", "tasks": 3},
     "(after_ms / before_ms - 1) * 100", -3, 0),
    ("simple-write-2015.csv", {"nodes": "different", "layout": "embedded", "tasks": 3},
     "(after_ms / before_ms - 1) * 100", -1, 0),
    ("rqspinlock-diff-2025.csv", {"file": "all"}, "changed - added - removed", 0, 0),
]  # fmt: skip


@pytest.mark.parametrize("name, where, value, printed, digits", PRINTED)
def test_published_tables_are_the_documents(name, where, value, printed, digits):
    rows = sources.Rows(sources.read_csv(sources.PUBLISHED / name), "")
    found = figures.figure(rows, {"where": where, "value": value}, "").number
    assert round(found, digits) == printed


#: Figures of the documents that no calculation can be checked with.
LITERAL = {
    "1.2a": 1000, "1.2b": 1, "1.4a": 250, "1.4b": 500, "1.7": 65536, "1.18": 73 - 171,
    "2.4a": 5, "2.4b": 60, "3.4a": 5750799 / 5678233, "3.4b": 2184466 / 1114551, "3.5": 3023 / 2075,
    "5.1a": 2.6, "5.1b": 1.25, "5.2a": 0.29, "5.2b": 0.4, "5.2c": 0.9,
}  # fmt: skip
SMALL_MACHINE = ["16,436.8,433.4,435.6", "36,366.2,364.8,364.5", "48,423.6,376.3,370.2",
                 "64,433.1,376.6,376.8"]  # fmt: skip


def test_published_figures(table):
    for name, value in LITERAL.items():
        assert table[name]["published_number"] == pytest.approx(value), name
    small = (sources.PUBLISHED / "hybrid-pv-small-2017.csv").read_text().splitlines()[-4:]
    assert small == SMALL_MACHINE


def test_the_diffstat_adds_up():
    rows = sources.read_csv(sources.PUBLISHED / "rqspinlock-diff-2025.csv").set_index("file")
    assert rows.changed.drop("all").sum() == rows.changed["all"]


def test_geometric_means_are_those_of_the_tables(table):
    """Counted another way: a product of all ratios, in the order of the file."""
    rows = pd.read_csv(sources.PUBLISHED / "rqspinlock-2025.csv", comment="#")
    cells = itertools.product(("x86_64", "arm64"), ("open1", "open2", "lock1", "lock2"))
    for (arch, benchmark), letter in zip(cells, "abcdefgh", strict=True):
        mine = rows[(rows.arch == arch) & (rows.benchmark == benchmark)]
        product = math.prod(r.rql / r.ql for r in mine.itertuples())
        found = table[f"1.15{letter}"]
        assert found["published_number"] == pytest.approx(product ** (1 / len(mine)))
        assert benchmark in found["claim"] and arch in found["claim"]


#: Characters of a table and the paragraph in front of it.
NEAR = 1800


def test_recorded_figures_have_machine_and_date():
    """The words of both stand near the figure, and it is not one of an earlier lock."""
    seen = 0
    for claim in EVERY:
        for spec in claims.specs_of(claim, "ours"):
            if "machine" in spec:
                text = " ".join((TOP / spec["recorded"]).read_text().split())
                at = re.search(spec["find"], text).start()
                near = text[max(0, at - NEAR) : at + NEAR]
                words = re.findall(r"\w+", f"{spec['date']} {spec['machine']}")
                assert set(words) - {"then", "and"} <= set(re.findall(r"\w+", near)), claim["id"]
                assert "before limits" not in text[at : at + 100], claim["id"]
                seen += 1
    assert seen >= 5


TABLE = """| name | what | figure | command | machine | date |
|---|---|---|---|---|---|
| 9.1 | one | 250.3 ms | `x` | two CPUs | 30 November 2026 |
| 9.2 | two | 1: 0.98, 2: 1.01 | `x` | two CPUs | 30 November 2026 |
| 9.3 | none yet | - | `x` | - | - |
"""


def test_lines_of_a_table_of_figures(tmp_path, monkeypatch):
    monkeypatch.setattr(sources, "TOP", tmp_path)
    (tmp_path / "page.md").write_text(TABLE)

    def rows_of(name, **more):
        return sources.rows_of({"recorded": "page.md", "row": name, **more}, None)

    rows, *kind = rows_of("9.1")
    assert list(rows.frame.value) == [250.3] and kind == ["reproduced", "recorded"]
    assert rows.origin == "recorded: page.md, two CPUs, 30 November 2026"
    by_key = rows_of("9.2", by="threads")[0].frame.set_index("threads").value
    assert by_key.to_dict() == {1: 0.98, 2: 1.01}
    assert rows_of("9.3")[0] is None
    with pytest.raises(CampaignError, match=r"page\.md: 0 lines of figures: 9\.4"):
        rows_of("9.4")


def test_lines_of_figures_have_machine_and_date_and_are_used():
    lines = sources.figure_lines(TOP / "docs/evaluation.md")
    specs = [spec for claim in EVERY for spec in claims.specs_of(claim, "ours")]
    specs += [spec for sentence in opening.load() for some in sentence["figures"] for spec in some]
    assert {line["name"] for line in lines} == {spec["row"] for spec in specs if "row" in spec}
    for line in lines:
        measured = line["figure"] != "-"
        dated = re.fullmatch(r"[0-9]+ [A-Z][a-z]+ 20[0-9]{2}", line["date"]) is not None
        assert measured == dated == (line["machine"] != "-"), line
        assert line["command"].startswith("`rqspin-lab run "), line


def test_recorded_simulations_have_machine_and_date(table):
    for path in sources.RECORDED.glob("*.csv"):
        head = sources.head_of(path)
        assert re.match(r"\d{4}-\d\d-\d\dT", head["date"]) and head["cpu"] and int(head["cpus"])
    used = {name: row["from"] for name, row in table.items() if row["state"] == "simulated"}
    assert [name for name, text in used.items() if "changed since" in text] == []
    assert all("recorded: " in text or "counted in" in text for text in used.values()), used


def test_every_simulation_is_recorded_and_can_run():
    names = claims.simulations(EVERY)
    assert {path.stem for path in sources.RECORDED.glob("*.csv")} == set(names)
    usage = subprocess.run([sys.executable, claims.EXPERIMENTS], capture_output=True, text=True)
    assert usage.returncode == 2 and all(name in usage.stderr for name in names)


def test_own_simulations_come_first(nothing_here):
    sources.SIMULATED.mkdir()
    text = (sources.RECORDED / "tickets.csv").read_text()
    mine = re.sub(r"^(ticket-250x,24,1,test),.*$", r"\1,1800000", text, flags=re.M)
    mine = re.sub(r"^# sources: .*$", f"# sources: {sources.simulator_id()}", mine, flags=re.M)
    (sources.SIMULATED / "tickets.csv").write_text(mine.replace("# cpu: ", "# cpu: other "))
    row = claims.table(claims.chosen(["5.2c"]), nothing_here)[0]
    assert (row["ours"], row["error"]) == ("1.80 M/s", "+100.0 %")
    assert "simulated: other" in row["from"] and "changed" not in row["from"]


def test_a_changed_simulator_shows(nothing_here, monkeypatch):
    monkeypatch.setattr(sources, "simulator_id", lambda: "another")
    row = claims.table(claims.chosen(["5.2c"]), nothing_here)[0]
    assert "the simulator has changed since" in row["from"]


def test_own_measurements_come_first(nothing_here, table):
    def backoff(params):
        if params["lock"] == "ticket" and params["threads"] in (1, 2):
            return {"per_second": 1e6 * params["threads"] * (1 + 0.1 * params["round"])}

    assert table["5.1a"]["state"] == "simulated"
    measure(nothing_here, "backoff", backoff)
    rows = {row["id"]: row for row in claims.table(claims.chosen(["5"]), nothing_here)}
    assert rows["5.1a"]["state"] == "reproduced"
    assert rows["5.1a"]["ours"] == "1.30 M/s", "the median of five rounds"
    assert rows["5.1a"]["error"] == "x 0.5"
    assert rows["5.7"]["ours"] == "12 %"
    assert rows["5.7"]["error"] == "holds in 0 of 2"
    assert machine.facts()["cpu"] in rows["5.1a"]["from"]


def test_a_campaign_that_has_not_come_so_far(nothing_here, table):
    """Its first cells do not hide what is recorded, and do not end the command."""

    def first_lock(params):
        if params["lock"] == "pv-queued" and params["round"] == 1:
            return {"per_second": 1e6, "longest_ms": 1, "timeouts": 0}

    measure(nothing_here, "pv", first_lock)
    measure(nothing_here, "backoff", lambda p: {"per_second": 1e6} if p["round"] == 1 else None)
    rows = {row["id"]: row for row in claims.table(EVERY, nothing_here)}
    for name in ("1.6", "4.4b", "4.5", "5.7"):  # one round has no deviation
        assert rows[name] == table[name]
    assert re.search(r", \d+ of \d+ cells$", rows["5.1a"]["from"])


def test_ratios_are_taken_within_a_round(nothing_here):
    def pv(params):
        rate = {"pv-hybrid": 2e6, "unfair": 1e6}.get(params["lock"])
        if rate and params["threads"] in (4, 16):
            return {"per_second": rate * params["round"], "longest_ms": 1e7 / rate,
                    "timeouts": 0}  # fmt: skip

    measure(nothing_here, "pv", pv)
    rows = {row["id"]: row for row in claims.table(claims.chosen(["4.4", "4.5"]), nothing_here)}
    assert rows["4.4b"]["ours_number"] == pytest.approx(0.5)
    assert rows["4.5"]["ours_number"] == pytest.approx(2)


def test_significance():
    """A variant that is far off is found, one within its deviation is not."""
    row = {"machine": "m", "writers": 1, "stock_mean": 100, "stock_std": 1, "near_mean": 100.2,
           "near_std": 1, "far_mean": 120, "far_std": 1}  # fmt: skip
    found = significance.compare(pd.DataFrame([row])).set_index("variant")
    assert found.holm["far"] < 0.001 < 0.5 < found.holm["near"]
    assert found.change["far"] == pytest.approx(0.2)


def test_holm():
    p = pd.Series([0.01, 0.04, 0.03, 0.005])
    assert list(significance.corrected(p)) == pytest.approx([0.03, 0.06, 0.06, 0.02])
    assert significance.corrected(pd.Series([0.9, 0.8])).max() == 1


def test_no_significant_effect_was_published(table):
    rows = sources.read_csv(sources.PUBLISHED / "rtmutex-locktorture-2023.csv")
    assert len(significance.compare(rows)) == 90
    assert table["2.7a"]["ours_number"] == 0
    assert table["2.7b"]["ours_number"] == 7


PATCH = """Subject: x
---
 a.c | 3 ++-
diff --git a/a.c b/a.c
index 1..2 100644
--- a/a.c
+++ b/a.c
@@ -1,3 +1,3 @@
 kept
-old
--- removed line that looks like a head
+new
+more
diff --git a/b.c b/b.c
--- a/b.c
+++ b/b.c
@@ -1 +1,2 @@
 kept
+added
--SPACE
2.39.5
""".replace("SPACE", " ")


def test_lines_of_a_patch():
    assert sources.changed_lines(PATCH) == [("a.c", 2, 2), ("b.c", 1, 0)]


@pytest.mark.parametrize(
    "spec, problem",
    [
        ({"recorded": "README.md", "find": "no such words"}, "0 times"),
        ({"recorded": "no-such-file", "find": "x"}, "0 times"),
        ({"test": "lab/tests/regress/leave.c", "has": "no_such_test", "says": "x"}, "has no"),
        ({"table": "no-such.csv"}, "no table"),
        ({"nonsense": 1}, "names 0 sources"),
        ({"patches": "kernel-patches/6.12", "titles": ["no-such"]}, "0 patches"),
    ],
)
def test_a_source_that_is_gone_is_an_error(spec, problem, nothing_here):
    with pytest.raises(CampaignError, match=problem):
        sources.rows_of(spec, nothing_here)


def test_a_figure_needs_rows():
    rows = sources.Rows(pd.DataFrame({"lock": ["a", "b"], "x": [1.0, 3.0]}), "")
    with pytest.raises(CampaignError, match="no rows"):
        figures.figure(rows, {"where": {"lock": "c"}, "value": "x"}, "")
    with pytest.raises(CampaignError, match="2 values"):
        figures.figure(rows, {"value": "x"}, "")
    assert figures.figure(rows, {"value": "x", "show": "range", "unit": "s"}, "").text == (
        "1.00 to 3.00 s"
    )


def test_command_prints_table_and_json():
    lines = run().stdout.splitlines()
    assert lines[0].split() == list(claims.COLUMNS)
    assert [line.split()[0] for line in lines[1:]] == [claim["id"] for claim in EVERY]
    out = json.loads(run("--json").stdout)
    schema = json.loads((TOP / "docs/claims.schema.json").read_text())
    jsonschema.Draft202012Validator(schema).validate(out)
    assert [row["id"] for row in out["claims"]] == [claim["id"] for claim in EVERY]


def test_command_selects():
    assert [line.split()[0] for line in run("5.2", "4.1").stdout.splitlines()[1:]] == [
        "4.1", "5.2a", "5.2b", "5.2c",
    ]  # fmt: skip
    assert "no claim 9" in run("9", code=1).stderr
    assert "nothing of these claims is simulated" in run("--run", "2.7", code=1).stderr
