# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
"""The published documents, documents/AUTHOR-YEAR.toml: how texts call them, where to read them."""

import functools
import html
import pathlib
import re
import tomllib

FOLDER = pathlib.Path(__file__).resolve().parent / "documents"


@functools.cache
def every():
    """Of each file its name and what it has: author, year, title, posted (where and when), claims,
    and url, a page of the thread, if its address is known."""
    return {path.stem: tomllib.loads(path.read_text()) for path in sorted(FOLDER.glob("*.toml"))}


def name_of(document):
    return f"{document['author']} {document['year']}"


def _link(text, url):
    return f'<a href="{html.escape(url)}">{text}</a>'


def linked(text):
    """A text as part of a page, in which the documents that it names are links."""
    text = html.escape(text)
    for document in every().values():
        if "url" in document:
            name = re.compile(re.escape(name_of(document)).replace(r"\ ", r"\s+"), re.I)
            text = name.sub(lambda m, url=document["url"]: _link(m[0], url), text)
    return text


def listed():
    """All documents as parts of a page, the newest first."""
    yield "<p>The documents whose claims are measured or simulated here:</p><ul>"
    for document in sorted(every().values(), key=lambda d: d["year"], reverse=True):
        what = html.escape(f"{document['title']} ({document['posted']})")
        yield f"<li>{linked(name_of(document))}: {what}</li>"
    yield "</ul>"
