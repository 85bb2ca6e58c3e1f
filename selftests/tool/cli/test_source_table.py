# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
"""Sources are data: one table, from which help, man page, errors and the session's choice come."""

import json
import re
import subprocess

import pytest
from conftest import BUILD, TOP, rqspin


@pytest.fixture(scope="module")
def sources():
    return [s["name"] for s in json.loads(rqspin("--dump-tables").stdout)["sources"]]


def flat(text):
    return " ".join(text.split())


@pytest.mark.parametrize("verb", ["trace", "stat"])
def test_help(verb, sources):
    assert f"Use exactly these sources: {', '.join(sources)} " in flat(rqspin("help", verb).stdout)


def test_man_page(sources):
    keep = f"-o{BUILD.relative_to(TOP)}/vmlinux.h"
    folder = BUILD.relative_to(TOP)
    make = ["make", "-s", "-C", TOP, f"O={folder}", keep, f"{folder}/docs/rqspin.8"]
    subprocess.run(make, check=True, capture_output=True)
    text = (BUILD / "docs/rqspin.8").read_text()
    section = re.search(r"^\.SH SOURCES$(.*?)^\.SH", text, re.M | re.S)[1]
    assert re.findall(r"^\.TP\n\.B (.*)$", section, re.M) == sources


def test_unknown_source(sources):
    res = rqspin("trace", "--source", "ring,rnig")
    said = f"no source 'rnig'; there are {', '.join(sources[:-1])} and {sources[-1]}"
    assert (res.returncode, said in res.stderr) == (2, True), res.stderr


def test_doctor(sources):
    res = rqspin("doctor", "--json")
    assert [s["name"] for s in json.loads(res.stdout)["trace_sources"]] == sources


def test_schema(sources):
    text = (TOP / "docs/events.schema.json").read_text()
    for field, more in (("source", []), ("joined", [None])):
        words = re.search(rf'"{field}": {{ "enum": (\[.*?\])', text)[1]
        assert json.loads(words) == sources + more


def test_documents(sources):
    for page in ("events.md", "design.md"):
        rows = re.findall(r"^\| `?(\w+)`? \|", (TOP / "docs" / page).read_text(), re.M)
        assert [r for r in rows if r in sources][: len(sources)] == sources, page


def test_only_sources_have_their_names(sources):
    """Whoever uses sources goes by their traits."""
    named = re.compile(rf'source_(?:{"|".join(sources)})\b|"(?:{"|".join(sources)})"')
    found = [
        f"{path.relative_to(TOP)}:{nr}: {line.strip()}"
        for path in sorted((TOP / "user").rglob("*.[ch]"))
        if path.parent.name not in ("sources", "tests", "doctor")
        for nr, line in enumerate(path.read_text().splitlines(), 1)
        if named.search(line)
    ]
    # A sample's need is an ability of the kernel that has the name of a source.
    assert [f for f in found if '"fentry and fexit"' not in f] == []
