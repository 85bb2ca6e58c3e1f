# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
"""The published documents: named and linked the same way everywhere."""

import re

import campaign as campaigns
import documents
import pytest
import sources
from machine import TOP

EVALUATION = (TOP / "docs/evaluation.md").read_text()
ABOUTS = {name: campaigns.load(name).about for name in campaigns.names()}


def test_each_document_says_where_it_is_from():
    for stem, document in documents.every().items():
        assert str(document["year"]) in document["posted"] and document["title"], stem
        assert document.get("url", "https://").startswith("https://"), stem
        assert stem == documents.name_of(document).lower().replace(" ", "-")


def test_an_address_with_a_message_id_is_that_of_the_tables():
    head = sources.PUBLISHED / "rqspinlock-2025.csv"
    found = re.search(r"\((\S+@\S+)\)", head.read_text())[1]
    assert documents.every()["dwivedi-2025"]["url"].endswith(f"/{found}")


@pytest.mark.parametrize("stem", documents.every())
def test_evaluation_names_and_links_each(stem):
    document = documents.every()[stem]
    name = documents.name_of(document)
    name = name[0].upper() + name[1:]
    cell = f"[{name}]({document['url']})" if "url" in document else name
    row = re.search(rf"^\| {re.escape(cell)} \| (.*) \|$", EVALUATION, re.M)
    assert row and document["title"].split(",")[0] in row[1]


def test_no_text_counts_the_documents():
    for name, text in {"evaluation.md": EVALUATION, **ABOUTS}.items():
        assert not re.search(r"(first|second|third|fourth|fifth)\s+document\b", text, re.I), name


def test_campaigns_name_documents_that_are_there():
    named = {campaigns.load(name).data.get("document") for name in ABOUTS} - {None}
    assert named and named <= set(documents.every())


def test_names_in_a_text_become_links():
    url = documents.every()["van-riel-2013"]["url"]
    assert documents.linked("Van\nRiel 2013 < x") == f'<a href="{url}">Van\nRiel 2013</a> &lt; x'
    assert documents.linked("Long 2017") == "Long 2017", "its address is not known"
    assert documents.linked("Long 2015, Long 2015").count("<a href=") == 2
    assert "<a href=" in documents.linked(ABOUTS["rql"])


def test_all_documents_are_listed():
    text = "\n".join(documents.listed())
    for document in documents.every().values():
        assert documents.name_of(document) in text and document["posted"] in text
    assert text.count("<a href=") == 4 and text.index("Dwivedi") < text.index("van Riel")
