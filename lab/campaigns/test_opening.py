# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
"""The sentences that the overview begins with."""

import re

import machine
import opening
import pytest
import sources
from conftest import measure
from errors import CampaignError

SENTENCES = opening.load()


@pytest.fixture
def here(tmp_path):
    return sources.Here(tmp_path)


def figures_of(here, pages=()):
    """The figures of each sentence, as they are shown."""
    lines = opening.sentences(here, pages)[1:-1]
    return [re.findall("<b>(.*?)</b>", line) for line in lines]


def is_written_down(specs, here):
    """Does a document have it? A dash in a table of figures says that none has it yet."""
    found = [spec for spec in specs if "recorded" in spec]
    return any(sources.rows_of(spec, here)[0] is not None for spec in found)


def test_without_a_measurement_what_is_written_down_counts(here):
    for spec, shown in zip(SENTENCES, figures_of(here), strict=True):
        order = [int(place) for place in re.findall(r"\{(\d)\}", spec["text"])]
        for place, text in zip(order, shown, strict=True):
            specs = spec["figures"][place - 1]
            there = "fact" in specs[0] or is_written_down(specs, here)
            assert (text != opening.MISSING) == there, spec["text"]
            assert any("recorded" in s or "fact" in s for s in specs), "no fallback"


def test_written_down_figures(here):
    deadlock, alone, crowd, slower, where = figures_of(here)
    assert all(re.fullmatch(r"[0-9.]+ us", text) for text in deadlock[:2])
    assert all(0.2 < float(text) < 1.2 for text in alone)
    facts = machine.facts()
    assert where == [facts["cpu"], str(facts["cpus"]), facts["arch"]]
    assert crowd[0] == where[1]
    assert all(re.fullmatch(r"0\.[0-9]+ to 0\.[0-9]+", text) for text in slower[:2])
    least, most = map(float, slower[4].split(" to "))
    assert least < float(slower[3]) < most


def test_what_was_not_measured_is_said(here):
    last = opening.sentences(here)[-2]
    for word in ("Not measured", "hypervisor", "two CPUs", "arm64 hardware"):
        assert word in last


def test_every_sentence_with_a_measurement_has_its_page(here):
    pages = {spec["page"] for spec in SENTENCES[:-1]}
    for line, spec in zip(opening.sentences(here, pages)[1:-2], SENTENCES[:-1], strict=True):
        assert f'href="{spec["page"]}.html"' in line


def test_what_was_measured_here_comes_first(here):
    rates = {"rqspinlock-hybrid": 3e6, "rqspinlock": 5e5, "upstream-tas": 2e6}

    def pv(params):
        rate = rates.get(params["lock"])
        if rate and params["threads"] == 16:
            return {"per_second": rate * params["round"], "longest_ms": 1, "timeouts": 0}

    measure(here, "pv", pv)
    assert figures_of(here)[2][1:] == ["1.50", "0.25"]
    line = opening.sentences(here, {"pv"})[3]
    assert 'href="pv.html"' in line and "measured: " in line
    assert "href" not in opening.sentences(here)[3]


def test_a_place_without_a_figure(here, tmp_path, monkeypatch):
    wrong = tmp_path / "opening.toml"
    wrong.write_text('[[sentence]]\ntext = "{1} of {2}"\nfigures = [[{ fact = "cpus" }]]\n')
    monkeypatch.setattr(opening, "FILE", wrong)
    with pytest.raises(CampaignError, match=r"opening\.toml: more places than figures"):
        opening.sentences(here)
