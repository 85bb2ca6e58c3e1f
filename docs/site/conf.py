# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
"""The documentation as a site: make site. Nothing is fetched, to build it or to read it."""

import pathlib
import re

# It is read from a copy below build/, beside the pages.
HERE = pathlib.Path(__file__).resolve()
TOP = next(p for p in HERE.parents if (p / "user/base/version.h").exists())

project = "rqspin"
header = (TOP / "user/base/version.h").read_text()
version = release = re.search(r'RQSPIN_VERSION "(.*)"', header)[1]
extensions = ["myst_parser"]
# A heading may be a command: two dashes stay two dashes.
smartquotes = False
source_suffix = {".md": "markdown"}
root_doc = "index"

myst_enable_extensions = ["attrs_block"]
# The anchors that code hosts make of headings.
myst_heading_anchors = 4
# Notes of the scripts that make tables.
suppress_warnings = ["myst.strikethrough", "misc.highlighting_failure"]

html_theme = "furo"
html_title = f"rqspin {version}"
html_copy_source = False
html_show_copyright = False
