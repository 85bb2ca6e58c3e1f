# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
"""requirements.txt: the same tools as in requirements.in, each file of them by its hash."""

import pathlib
import re

TOP = pathlib.Path(__file__).resolve().parents[1]
PIN = re.compile(r"([\w.-]+)==(\S+)")


def normal(name):
    return re.sub(r"[-_.]+", "-", name).lower()


def wanted():
    lines = (TOP / "requirements.in").read_text().splitlines()
    pins = [PIN.fullmatch(line) for line in lines if line and not line.startswith("#")]
    assert None not in pins, "every line has one tool and its version"
    return {normal(name): version for name, version in (p.groups() for p in pins)}


def test_same_tools_each_with_hashes():
    text = (TOP / "requirements.txt").read_text()
    blocks = re.split(r"\n(?=\w)", text.replace("\\\n", " "))
    pinned = {}
    for block in blocks:
        tool, *hashes = block.split(" --hash=")
        if tool.startswith("#"):
            continue
        name, version = PIN.match(tool).groups()
        assert hashes and all(re.match(r"\s*sha256:[0-9a-f]{64}\s*$", h) for h in hashes), name
        pinned[normal(name)] = version
    assert pinned == wanted()


def test_setup_asks_for_hashes():
    assert "install --retries 2 --require-hashes" in (TOP / "scripts/setup.sh").read_text()
