# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
"""Completion as a user has it: an interactive bash in which bash-completion loads it by name."""

import json
import os
import pathlib
import pty
import re
import select
import shutil
import subprocess
import time

import pytest
from bpfobj import pinned
from conftest import BUILD, TOP, needs_locks, rqspin

LOADER = pathlib.Path("/usr/share/bash-completion/bash_completion")
ABBA = BUILD / "bpf/progs/abba.bpf.o"
INSERT_ALL = "\x1b*"  # readline writes all that completion offers into the line


class Shell:
    """bash behind a terminal, for one line after another."""

    def __init__(self, env, cwd):
        pid, self.tty = pty.fork()
        if not pid:
            os.chdir(cwd)
            os.execvpe("bash", ["bash", "--noprofile", "--norc", "-i"], env)
        self.pid = pid
        self.type(f". {LOADER}; PS1=; bind 'set enable-bracketed-paste off'\n")
        self.words("true")

    def type(self, text):
        os.write(self.tty, text.encode())

    def read_until(self, pattern):
        got, end = "", time.monotonic() + 60
        while not (found := re.search(pattern, got)):
            ready, _, _ = select.select([self.tty], [], [], max(0, end - time.monotonic()))
            assert ready, got
            got += os.read(self.tty, 4096).decode(errors="replace")
        return found

    def words(self, line, keys=""):
        """The words of the line once those keys were pressed at its end."""
        # C-a: before the line goes a command that shows its words, and only then is it run.
        self.type(f"{line}{keys}\x01printf '<%s>' \x05; printf 'do''ne\\n'\n")
        return re.findall("<([^>]*)>", self.read_until(r"((?:<[^<>]*>)+)done")[1])

    def close(self):
        os.close(self.tty)
        os.waitpid(self.pid, 0)


@pytest.fixture(scope="module")
def shell(tmp_path_factory):
    if not LOADER.exists():
        pytest.skip("needs bash-completion: scripts/setup.sh")
    dest = tmp_path_factory.mktemp("completion")
    keep = [f"-o{d}/vmlinux.h" for d in (BUILD, os.path.relpath(BUILD, TOP))]
    make = ["make", "-C", TOP, f"O={BUILD}", *keep, "install", f"PREFIX={dest}"]
    subprocess.run(make, check=True, capture_output=True)
    shutil.copy(ABBA, dest / "mine.bpf.o")
    env = dict(
        os.environ,
        HOME=str(dest),
        TERM="dumb",
        PATH=f"{dest}/sbin:{os.environ['PATH']}",
        XDG_DATA_DIRS=f"{dest}/share:/usr/local/share:/usr/share",
    )
    bash = Shell(env, dest)
    yield bash
    bash.close()
    shutil.rmtree(dest)


def offered(shell, line):
    """What completion offers for the last word of the line."""
    before = line.split(" ")[:-1]
    words = shell.words(line, INSERT_ALL)
    assert words[: len(before)] == before
    return set(words[len(before) :])


@pytest.mark.parametrize(
    "line, words",
    [
        ("rqspin tr", {"trace"}),
        ("rqspin run --dur", {"--duration"}),
        ("rqspin trace --no-a", {"--no-addr"}),
        ("rqspin trace --kind ab", {"abba"}),
        ("rqspin trace --kind=ab", {"--kind=abba"}),
        ("rqspin trace --kind timeout,cy", {"timeout,cycle"}),
        ("rqspin stat --source tram", {"trampoline"}),
        ("rqspin stat --source ring,tr", {"ring,tracepoint", "ring,trampoline"}),
        ("rqspin run mine.bpf.o --roles abba_", {"abba_0", "abba_1"}),
        ("rqspin run mine.bpf.o --roles abba_1,abba_0", {"abba_1,abba_0"}),
        ("rqspin run --count mi", {"mi"}),  # a number: no file
        ("rqspin trace --ready-file mi", {"mine.bpf.o"}),
        ("rqspin run mi", {"mine.bpf.o"}),
        ("rqspin ch", {"check"}),
        ("rqspin check mi", {"mine.bpf.o"}),
        ("rqspin check mine.bpf.o mi", {"mine.bpf.o"}),
        ("rqspin check --s", {"--sarif"}),
        ("rqspin check --loaded", {"--loaded"}),
        ("rqspin check --lo", {"--loaded", "--load-time"}),
        ("rqspin check --dot mi", {"mine.bpf.o"}),
        ("rqspin report -o mi", {"mine.bpf.o"}),
        ("rqspin export --te", {"--textfile"}),
    ],
)
def test_in_a_terminal(shell, line, words):
    assert offered(shell, line) == words


def test_all_kinds_and_sources(shell):
    kinds = {"aa", "abba", "cycle", "timeout", "nested", "unknown"}
    assert offered(shell, "rqspin trace --kind ") == kinds
    sources = {s["name"] for s in json.loads(rqspin("doctor", "--json").stdout)["trace_sources"]}
    assert offered(shell, "rqspin stat --source ") == sources


@needs_locks
def test_loaded_programs(shell, nothing_left):
    if os.geteuid():
        pytest.skip("needs root to load programs")
    with pinned(ABBA):
        assert offered(shell, "rqspin trace --prog abba_") == {"abba_0", "abba_1"}
        assert offered(shell, "rqspin stat -p abba_1") == {"abba_1"}


def test_every_listed_value_is_accepted(shell):
    """What completion offers, the parser takes."""
    for option in ("kind", "source"):
        listed = rqspin("--words", option).stdout.split()
        assert listed
        for word in listed:
            res = rqspin("trace", f"--{option}", word, "--count", "0")
            assert "--count" in res.stderr and word not in res.stderr
