# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
"""Tutorial and guides: what they tell a reader to type works, and prints what they say.

In docs/*.md:
    <!-- file: NAME -->    the block that follows is saved as NAME
    <!-- patch: NAME -->   the block that follows, a diff, is applied to NAME
    ```console             commands and their output: docpages.py
All commands of a page run in one folder, with the tool installed as make install does it.
Commands of all other pages: test_commands.py."""

import re
import shutil
import subprocess

import pytest
from conftest import needs_two_cpus, skip_without_locks
from docpages import blocks, commands, pattern
from terminal import Terminal

PAGES = ["docs/tutorial.md", "docs/howto-production.md"]


def steps(page):
    """(what, name, text) of each block that is to be done."""
    for block in blocks(page):
        if block.mark:
            yield *block.mark, block.text
        elif block.kind == "console":
            for command, output in commands(block):
                yield "run", command, output


def save(folder, name, text):
    (folder / name).write_text(text)


def patch(folder, name, text):
    cmd = ["patch", "--no-backup-if-mismatch", "--fuzz=0", name]
    res = subprocess.run(cmd, input=text, cwd=folder, capture_output=True, text=True)
    assert res.returncode == 0, res.stdout + res.stderr


def run(folder, command, output, env):
    with Terminal(command, folder, env) as screen:
        assert screen.end() == 0, screen
    assert re.fullmatch(pattern(output), screen.seen), f"{screen}\nnot:\n{output}"


@needs_two_cpus
@pytest.mark.parametrize("page", PAGES)
def test_guide(page, reader, tmp_path, nothing_left):
    skip_without_locks()
    if not shutil.which("clang-19") or not shutil.which("patch"):
        pytest.skip("needs clang-19 and patch: scripts/setup.sh")
    todo = list(steps(page))
    assert len(todo) >= 3
    for what, name, text in todo:
        if what == "run":
            run(tmp_path, name, text, reader)
        else:
            {"file": save, "patch": patch}[what](tmp_path, name, text)
