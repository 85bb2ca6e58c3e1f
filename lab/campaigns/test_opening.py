# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
"""The sentences that the overview begins with."""

import re

import machine
import opening
import pytest
import sources
from conftest import measure
from errors import CampaignError


@pytest.fixture
def here(tmp_path):
    return sources.Here(tmp_path)


def figures_of(here, pages=()):
    """The figures of each sentence, as they are shown."""
    lines = opening.sentences(here, pages)[1:-1]
    return [re.findall("<b>(.*?)</b>", line) for line in lines]


def test_without_a_measurement_what_is_written_down_counts(here):
    deadlock, alone, crowd, slower, where = figures_of(here)
    assert re.fullmatch(r"[0-9.]+ us", deadlock[0]) and re.fullmatch(r"[0-9.]+ us", deadlock[1])
    assert deadlock[2] == opening.MISSING
    assert set(alone + crowd[1:]) == {opening.MISSING}
    assert re.fullmatch(r"0\.[0-9]+ to 0\.[0-9]+", slower[0])
    assert re.fullmatch(r"0\.[0-9]+", slower[1])
    facts = machine.facts()
    assert where == [facts["cpu"], str(facts["cpus"]), facts["arch"]]
    assert crowd[0] == where[1]


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
