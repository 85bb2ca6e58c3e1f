# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
"""Every command block of the documents works as it is written. commands.toml says how each command
is run, or who else runs it. What takes long is only looked at here, and run with --long."""

import re
import shutil

import pytest
from commands import (
    ENTRIES,
    elsewhere,
    entries,
    entry_of,
    makefiles,
    plausible,
    rule_for,
    squeeze,
    verify,
)
from conftest import BUILD, MAKE, TOP
from docpages import blocks, commands, pages, split
from typist import Typist

UNKNOWN = """{0}: no test knows the block that begins with
    {1}
Add to selftests/tool/cli/commands.toml, whose first lines explain more:
    [["{2}"]]
    begins = '{1}'
and, if these are no commands, kind = "..." with what they are."""


@pytest.mark.parametrize("page", pages())
def test_every_block_is_known(page):
    found = []
    for block in (b for b in blocks(page) if not elsewhere(b)):
        assert entry_of(block), UNKNOWN.format(block, block.begins, page)
        found += entries(block)
    for entry in ENTRIES.get(page, []):
        assert found.count(entry) == 1, f"commands.toml: {page}: {entry['begins']}"


def is_typed(block):
    return not elsewhere(block) and "kind" not in (entry_of(block) or {"kind": "unknown"})


def typed_blocks():
    return [b for page in pages() for b in blocks(page) if is_typed(b)]


def test_no_rule_is_left_over():
    """Each is for a command that some document has."""
    assert set(ENTRIES) - {"everywhere"} <= set(pages())
    typed = set()
    for block in typed_blocks():
        here = {squeeze(command) for command, _ in commands(block)}
        assert set(entry_of(block).get("commands", {})) <= here, block
        typed |= here
    assert set(ENTRIES["everywhere"]) <= typed


OF_BLOCK = "begins kind place own before before_long cd guest change needs commands each"
OF_COMMAND = """change needs ready meanwhile until keys early status shows then by has long instead
everyday"""
PROGRAMS = "bison|clang-19|debootstrap|dh|dpkg-buildpackage|flex|jq|rpmbuild|systemctl"
NEED = rf"locks|held|root|(cpus|port) \d+|try .+|\S*/\S*|{PROGRAMS}"


def unknown_words(rules, known):
    words = {word for rule in rules for word in rule} - set(known.split())
    needs = {need for rule in rules for need in rule.get("needs", [])}
    return words | {need for need in needs if not re.fullmatch(NEED, need)}


def test_rules_have_no_unknown_words():
    """A misspelt one would be passed over."""
    blocks_of = [e for page in set(ENTRIES) - {"everywhere"} for e in ENTRIES[page]]
    rules = list(ENTRIES["everywhere"].values())
    for entry in blocks_of:
        rules += [entry.get("each", {}), *entry.get("commands", {}).values()]
    assert unknown_words(blocks_of, OF_BLOCK) == unknown_words(rules, OF_COMMAND) == set()
    assert unknown_words([{"begin": "a"}, {"needs": ["lock"]}], OF_BLOCK) == {"begin", "lock"}


def test_changes_find_their_words():
    for block in typed_blocks():
        entry = entry_of(block)
        typed = [command for command, _ in commands(block)]
        for word in entry.get("change", {}):
            assert any(word in command for command in typed), f"{block}: no {word}"
        for command in typed:
            rule = rule_for(entry, command)
            for word in [*rule.get("change", {}), *rule.get("everyday", {})]:
                assert word in command, f"{block}: {command}: no {word}"


def test_other_documents_have_no_blocks():
    """A document with commands is on the site."""
    depths = ("", "*/", "*/*/", "*/*/*/")
    files = (p.relative_to(TOP) for where in depths for p in TOP.glob(f"{where}*.md"))
    other = {str(p) for p in files if not re.match(r"build/|\.", str(p))}
    other -= {*pages(), "docs/site/index.md"}
    assert [str(b) for page in sorted(other) for b in blocks(page)] == []


def test_targets_that_the_text_names():
    """Those in the middle of a sentence, too."""
    heads = re.findall(r"^([a-z][\w .-]*):", makefiles(), re.M)
    made = {target for head in heads for target in head.split()}
    for page in pages():
        named = re.findall(r"`make ([a-z][\w.-]*\w)(?![\w*-])", (TOP / page).read_text())
        assert set(named) <= made, page


@pytest.mark.parametrize(
    "command",
    [
        "make kernal",
        "make kernel CONFIG=leen",
        "make kernel CONFIGURATION=lean",
        "make vm KERNEL=debian-5",
        "selftests/kernel/lock/start.sh",
        "selftests/kernel/lock/run.sh --onyl kunit",
        "for c in 1 2; do selftests/vm/run.sh --kernel debian-5 -- true; done",
    ],
)
def test_mistakes_are_seen(command):
    """In what is not run."""
    with pytest.raises(AssertionError):
        plausible(command)


@pytest.mark.parametrize(
    "by", ["ci", "suite unit", "suite none", "selftests/tool/cli/test_docs.py::make", "Makefile"]
)
def test_references_are_looked_up(by):
    with pytest.raises(AssertionError):
        verify({"by": by}, "make install-all")


TYPED = """
# a
b=1 # c

d 'e # f' \\
  g &&
 h
for i in 1; do
 j
done
k <<X
# l
X
m &
n
"""


def test_commands_are_split():
    assert [c.split("\n") for c in split(TYPED)] == [
        ["b=1"],
        ["d 'e # f' \\", "  g &&", " h"],
        ["for i in 1; do", " j", "done"],
        ["k <<X", "# l", "X"],
        ["m &", "n"],
    ]


def is_long(block):
    rules = [rule_for(entry_of(block), command) for command, _ in commands(block)]
    said = {key for rule in rules for key in rule}
    return "guest" in entry_of(block) or not said.isdisjoint({"long", "early", "everyday"})


def pytest_generate_tests(metafunc):
    if "block" in metafunc.fixturenames:
        long = metafunc.config.getoption("--long")
        todo = [b for b in typed_blocks() if is_long(b) or not long]
        metafunc.parametrize("block", todo, ids=lambda b: f"{b.page}: {b.begins[:60]}")


@pytest.fixture(scope="session")
def env(reader, tmp_path_factory):
    """As the reader's, but make keeps what was made for another kernel, as it must in guests."""
    make = tmp_path_factory.mktemp("bin") / "make"
    make.write_text('#!/bin/sh\nexec {} "$@"\n'.format(" ".join([shutil.which("make"), *MAKE[1:]])))
    make.chmod(0o755)
    path = f"{make.parent}:{TOP / 'selftests/tool/cli/docs'}:{reader['PATH']}"
    return {**reader, "PATH": path, "TOP": str(TOP), "BUILD": str(BUILD)}


def unknown_files():
    """In the checkout, but for what .gitignore names."""
    ignored = {line.strip("/") for line in (TOP / ".gitignore").read_text().splitlines()}
    return {p.name for p in TOP.iterdir()} - ignored


def test_block(block, env, tmp_path, request):
    here = unknown_files()
    if "locks" in entry_of(block).get("needs", []):
        request.getfixturevalue("nothing_left")
    typist = Typist(block, tmp_path, env, request.config.getoption("--long"))
    typist.all()
    assert unknown_files() - here == set(), "left in the checkout"
    if typist.skipped:
        pytest.skip("; ".join(typist.skipped))
