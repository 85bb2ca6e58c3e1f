# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
"""rqspin check --sarif: the parts of SARIF 2.1.0 that we write, by its specification."""

import json
import shutil
import urllib.parse

import jsonschema
import pytest
from conftest import BUILD, TOP, needs_locks, rqspin

FOUND = 10
PROGS = BUILD / "bpf/progs"
CORPUS = BUILD / "selftests/tool/check"
MAPS = CORPUS / "maps"

pytestmark = [needs_locks, pytest.mark.usefixtures("nothing_left")]

# Sections 3.13 to 3.34 of the standard, with everything else forbidden.
TEXT = {"type": "string", "minLength": 1}


def closed(required, **members):
    return {
        "type": "object",
        "required": required.split(),
        "additionalProperties": False,
        "properties": members,
    }


MESSAGE = closed("text", text=TEXT)
PHYSICAL = closed(
    "artifactLocation",
    artifactLocation=closed("uri", uri={"type": "string", "format": "uri-reference"}),
    region=closed("startLine", startLine={"type": "integer", "minimum": 1}),
)
LOGICAL = closed("name kind", name=TEXT, kind={"const": "function"})
LOCATION = closed(
    "",
    physicalLocation=PHYSICAL,
    logicalLocations={"type": "array", "items": LOGICAL},
    message=MESSAGE,
)
LOCATIONS = {"type": "array", "items": LOCATION}
RESULT = closed(
    "ruleId level message locations relatedLocations partialFingerprints",
    ruleId=TEXT,
    level={"enum": ["none", "note", "warning", "error"]},
    message=MESSAGE,
    locations=LOCATIONS | {"maxItems": 1},
    relatedLocations=LOCATIONS,
    partialFingerprints=closed("rqspin/v1", **{"rqspin/v1": TEXT}),
)
RULES = {
    "type": "array",
    "uniqueItems": True,
    "items": closed("id shortDescription", id=TEXT, shortDescription=MESSAGE),
}
DRIVER = closed("name version rules", name=TEXT, version=TEXT, rules=RULES)
RUN = closed(
    "tool results",
    tool=closed("driver", driver=DRIVER),
    results={"type": "array", "items": RESULT},
)
SARIF = closed(
    "$schema version runs",
    version={"const": "2.1.0"},
    runs={"type": "array", "items": RUN, "minItems": 1},
    **{"$schema": {"const": "https://json.schemastore.org/sarif-2.1.0.json"}},
)


def results(*objects, code=FOUND, cwd=None):
    res = rqspin("check", "--sarif", *objects, cwd=cwd)
    assert res.returncode == code, res.stderr
    sarif = json.loads(res.stdout)
    jsonschema.Draft202012Validator(SARIF).validate(sarif)
    (run,) = sarif["runs"]
    rules = {r["id"]: r["shortDescription"]["text"] for r in run["tool"]["driver"]["rules"]}
    assert {r["ruleId"] for r in run["results"]} == set(rules)
    assert all(about != rule for rule, about in rules.items()), "a rule without a description"
    return run["results"]


def test_findings():
    found = results(PROGS / "abba.bpf.o", PROGS / "out_of_order_fail.bpf.o")
    assert {r["ruleId"] for r in found} == {"cycle", "refused"}
    for result in found:
        place = result["locations"][0]["physicalLocation"]
        assert place["artifactLocation"]["uri"].endswith(".bpf.c") and place["region"]["startLine"]
        assert result["level"] in ("error", "warning")
        assert ". Fix: " in result["message"]["text"]
    assert [len(r["relatedLocations"]) for r in found if r["ruleId"] == "cycle"] == [4]


def test_nothing_found():
    assert results(PROGS / "nested.bpf.o", code=0) == []


def test_each_kind_is_described():
    """All kinds of docs/check.schema.json that an object can bring about."""
    progs = [*sorted((CORPUS / "progs").glob("*.bpf.o")), MAPS / "bad_ring_in_nmi.bpf.o"]
    found = results(*progs, PROGS / "aa.bpf.o", PROGS / "out_of_order_fail.bpf.o")
    kinds = {r["ruleId"] for r in found}
    schema = json.loads((TOP / "docs/check.schema.json").read_text())
    every = set(schema["$defs"]["finding"]["properties"]["kind"]["enum"])
    # Some kernels leak nothing (test_check_leak.py), and some have no plain locks inside maps.
    assert every - kinds <= {"unreadable", "not-loaded", "leak", "map-hang"}


def test_paths_are_uris(tmp_path):
    """Without line information the object is the place: its path has to become a URI."""
    folder = tmp_path / "50% of: a space"
    folder.mkdir()
    shutil.copy(PROGS / "out_of_order_fail.bpf.o", folder / "öl?#.bpf.o")
    # Sections of debug information are needed to load, the lines are not.
    for where, prefix in ((folder, ""), (tmp_path, "file://")):
        arg = "öl?#.bpf.o" if where == folder else folder / "öl?#.bpf.o"
        (result,) = results(arg, cwd=where)
        uri = result["locations"][0]["physicalLocation"]["artifactLocation"]["uri"]
        assert uri == urllib.parse.quote(uri, safe="/:%"), prefix
