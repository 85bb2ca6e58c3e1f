# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
"""commands.toml: what is known of each block, who else runs a command, and what can be said of a
command without running it."""

import ast
import functools
import re
import shlex
import subprocess
import tomllib

from conftest import TOP

ENTRIES = tomllib.loads((TOP / "selftests/tool/cli/commands.toml").read_text())
KERNELS = TOP / "selftests/vm/kernels.conf"
CONFIGS = TOP / "kernel-patches/6.12/configs"
GUIDES = TOP / "selftests/tool/cli/test_guides.py"


def squeeze(command):
    return " ".join(command.replace("\\\n", " ").split())


def text_of(path):
    return (TOP / path).read_text()


def elsewhere(block):
    """Whether its kind alone says who tests it."""
    if f'"{block.page}"' in GUIDES.read_text() and (block.mark or block.kind == "console"):
        return True
    pages = re.search(r"for page in (.*); do", text_of("selftests/tool/headers/run.sh"))[1].split()
    return block.kind == "c" and block.page in [f"docs/{page}.md" for page in pages]


def entries(block):
    """Those that it may be: one, if the data are right."""
    for entry in ENTRIES.get(block.page, []):
        short = "kind" in entry and block.begins.startswith(entry["begins"])
        if short or block.begins == entry["begins"]:
            yield entry


def entry_of(block):
    return next(entries(block), None)


def rule_for(entry, command):
    key = squeeze(command)
    common = ENTRIES["everywhere"].get(key, entry.get("each", {}))
    return entry.get("commands", {}).get(key, common)


def suites():
    """{name: command}"""
    lines = re.findall(r"^[^#\s].*", text_of("scripts/suites.conf"), re.M)
    rows = ([cell.strip() for cell in line.split("|", 3)] for line in lines)
    return {name.lstrip("+"): command for name, _, _, command in rows}


def function(path, name):
    """Its source, without the punctuation of lists of words."""
    text = text_of(path)
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, ast.FunctionDef) and node.name == name:
            return re.sub(r"[\"',()\[\]]+", " ", ast.get_source_segment(text, node))
    raise AssertionError(f"no {name} in {path}")


def verify(rule, command):
    """Does the one who is said to run it do so?"""
    by, has = rule.get("by"), rule.get("has", command)
    if by == "ci":
        assert in_ci(command), f"CI does not run {command}"
    elif by:
        if by.startswith("suite "):
            assert by[6:] in suites(), f"{command}: no {by} in scripts/suites.conf"
            text = suites()[by[6:]]
        elif "::" in by:
            text = function(*by.split("::"))
        else:
            text = text_of(by)
        text = squeeze(text).replace("make -s ", "make ")
        has = squeeze(has)
        assert re.search(rf"(?<![\w-]){re.escape(has)}(?![\w-])", text), f"{by} has no {has}"


@functools.cache
def plan(command):
    """What make would do."""
    cmd = ["make", "-n", *shlex.split(command)[1:]]
    res = subprocess.run(cmd, cwd=TOP, capture_output=True, text=True)
    assert res.returncode == 0, f"{command}: {res.stderr}"
    return res.stdout.splitlines()


def scripts(command):
    """Those that it, or make in its place, runs: what is compiled before depends on the hour."""
    lines = plan(command) if command.startswith("make ") else [command]
    return {line for line in lines if line.startswith("scripts/")}


def is_part(some, whole):
    words = some.split()
    return words == whole.split()[: len(words)]


def in_ci(command):
    """As a step, or as a part of one, perhaps with fewer options."""
    steps = re.findall(r"^step (.*)", text_of(".ci/run"), re.M)
    done = [line for step in steps for line in scripts(step)]
    todo = scripts(command)
    part = todo and all(any(is_part(line, d) for d in done) for line in todo)
    return command in steps or part


def simple_commands(command):
    """The words of each."""
    lexer = shlex.shlex(command.replace("\\\n", " ").replace("\n", " ; "), None, True, True)
    lexer.whitespace_split, lexer.commenters = True, ""
    words = []
    for word in [*lexer, ";"]:
        if set(word) <= set(";&|()<>"):
            yield words
            words = []
        elif word not in ("do", "done") and (words or not re.match(r"\w+=", word)):
            words.append(word)


def plausible(command):
    """Targets, files, options and kernels that it names are there."""
    for words in filter(None, simple_commands(command)):
        if words[0] == "make":
            plan(shlex.join(words))
            known_variables(words)
        files = [i for i, word in enumerate(words[:2]) if "/" in word and (TOP / word).is_file()]
        assert files or "/" not in words[0], f"{command}: no {words[0]}"
        if files:
            known_options(words[files[-1]], words[files[-1] + 1 :])
        known_kernels(words)


@functools.cache
def makefiles():
    folders = ("*", "*/*", "*/*/*")
    files = [TOP / "Makefile", *(f for d in folders for f in TOP.glob(f"{d}/*.mk"))]
    return "".join(path.read_text() for path in files)


def known_variables(words):
    for name in re.findall(r"^(\w+)=", "\n".join(words), re.M):
        assert f"$({name})" in makefiles(), f"no Makefile has a variable {name}"


def known_options(path, words):
    """A script, or what was made of one, has the names in it; a program has their ends."""
    text = (TOP / path).read_bytes()
    dashes = b"--" if text.startswith(b"#!") else b""
    for word in words[: words.index("--") if "--" in words else None]:
        if re.match(r"--[a-z]", word):
            name = dashes + re.escape(word[2:].partition("=")[0].encode())
            assert re.search(name + rb"(?![\w-])", text), f"{path} knows no {word}"


def known_kernels(words):
    kernels = re.findall(r"^(\S+) +\|", KERNELS.read_text(), re.M)
    for before, word in zip(["", *words], words, strict=False):
        name = word.removeprefix("KERNEL=") if word.startswith("KERNEL=") else None
        name = word if before == "--kernel" and "$" not in word else name
        config = re.match(r"CONFIG=(\w+)$|6\.12-rqspin-(\w+)$", word)
        if config:
            name = f"6.12-rqspin-{config[1] or config[2]}"
        if name and name not in kernels:
            config = CONFIGS / f"{name.removeprefix('6.12-rqspin-')}.config"
            assert config.exists(), f"neither kernel nor configuration: {word}"
