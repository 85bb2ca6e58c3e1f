# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
"""Tutorial and guides: what they tell a reader to type works, and prints what they say.

In docs/*.md:
    <!-- file: NAME -->    the block that follows is saved as NAME
    <!-- patch: NAME -->   the block that follows, a diff, is applied to NAME
    ```console             commands after "# " or "$ ", in order, each followed by its output. There
                           "..." is any text in a line; as a line of its own, any number of lines.
All commands of a page run in one folder, with the tool installed as make install does it."""

import os
import re
import shutil
import subprocess

import pytest
from conftest import LIMIT, TOP, needs_two_cpus, skip_without_locks
from test_docs import make

PAGES = ["tutorial.md", "howto-production.md"]
BLOCK = re.compile(
    r"^(?:<!-- (?P<what>file|patch): (?P<name>\S+) -->\n)?^```(?P<kind>\w+)\n(?P<text>.*?)^```$",
    re.M | re.S,
)


def steps(page):
    """(what, name, text) of each block that is to be done."""
    for block in BLOCK.finditer((TOP / "docs" / page).read_text()):
        if block["what"]:
            yield block["what"], block["name"], block["text"]
        elif block["kind"] == "console":
            for command in re.split(r"^[#$] ", block["text"], flags=re.M)[1:]:
                line, _, output = command.partition("\n")
                yield "run", line, output


def pattern(output):
    lines = []
    for line in output.splitlines():
        if line == "...":
            lines.append(r"(?:.*\n)*?")
        else:
            lines.append(".*".join(re.escape(part) for part in line.split("...")) + r"\n")
    return "".join(lines)


@pytest.fixture(scope="session")
def installed(tmp_path_factory):
    prefix = tmp_path_factory.mktemp("prefix")
    make("install", f"PREFIX={prefix}")
    path = os.pathsep.join([f"{prefix}/sbin", os.environ["PATH"], "/usr/sbin", "/sbin"])
    return {**os.environ, "PATH": path, "PKG_CONFIG_PATH": f"{prefix}/share/pkgconfig"}


def save(folder, name, text):
    (folder / name).write_text(text)


def patch(folder, name, text):
    cmd = ["patch", "--no-backup-if-mismatch", "--fuzz=0", name]
    res = subprocess.run(cmd, input=text, cwd=folder, capture_output=True, text=True)
    assert res.returncode == 0, res.stdout + res.stderr


def run(folder, command, output, env):
    """On a terminal, where output and messages come in the order in which a reader sees them."""
    res = subprocess.run(
        ["script", "-qec", command, "/dev/null"],
        cwd=folder,
        env={**env, "SHELL": "/bin/bash"},
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        text=True,
        timeout=LIMIT,
    )
    seen = res.stdout.replace("\r", "")
    assert res.returncode == 0, f"{command}: {res.returncode}: {seen}"
    assert re.fullmatch(pattern(output), seen), f"{command}:\n{seen}\nnot:\n{output}"


@needs_two_cpus
@pytest.mark.parametrize("page", PAGES)
def test_guide(page, installed, tmp_path, nothing_left):
    skip_without_locks()
    if not shutil.which("clang-19") or not shutil.which("patch"):
        pytest.skip("needs clang-19 and patch: scripts/setup.sh")
    todo = list(steps(page))
    assert len(todo) >= 3
    for what, name, text in todo:
        if what == "run":
            run(tmp_path, name, text, installed)
        else:
            {"file": save, "patch": patch}[what](tmp_path, name, text)


def test_every_console_block_is_run():
    """A page with commands to type is one of those above."""
    with_commands = {p.name for p in (TOP / "docs").glob("*.md") if "```console" in p.read_text()}
    assert with_commands == set(PAGES)
