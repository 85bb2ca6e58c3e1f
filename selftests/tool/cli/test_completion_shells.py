# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
"""Completion in zsh and fish: what each offers, by its own means."""

import os
import pathlib
import shutil
import subprocess

import pytest
from bpfobj import pinned
from conftest import BUILD, TOP, make, needs_locks, rqspin

ZSH = pathlib.Path(__file__).with_name("complete.zsh")
# The command is what PATH has, as for a user.
ENV = {**os.environ, "PATH": f"{BUILD}:{os.environ['PATH']}"}
LINES = [
    ("rqspin tr", {"trace"}),
    ("rqspin help do", {"doctor"}),
    ("rqspin run ab", {"abba", "abbcca"}),
    ("rqspin run --dur", {"--duration"}),
    ("rqspin ru --dur", {"--duration"}),
    ("rqspin -v list --js", {"--json"}),
    ("rqspin --vers", {"--version"}),
    ("rqspin errno lru_", {"lru_hash", "lru_percpu_hash"}),
    ("rqspin errno hash up", {"update", "update_batch"}),
    ("rqspin errno --json queue p", {"push", "pop", "peek"}),
    ("rqspin trace --kind n", {"nested"}),
    ("rqspin replay --r", {"--run"}),
]


@pytest.fixture(scope="module")
def zsh(tmp_path_factory):
    if not shutil.which("zsh"):
        pytest.skip("needs zsh: scripts/setup.sh")
    make("docs")
    folder = tmp_path_factory.mktemp("zsh")
    shutil.copy(BUILD / "docs/rqspin.zsh-completion", folder / "_rqspin")

    def offered(line, cwd=TOP):
        res = subprocess.run([ZSH, folder, line], capture_output=True, text=True, cwd=cwd, env=ENV)
        assert res.returncode == 0, res
        return set(res.stdout.split())

    return offered


@pytest.fixture(scope="module")
def fish():
    if not shutil.which("fish"):
        pytest.skip("needs fish: scripts/setup.sh")
    make("docs")
    file = BUILD / "docs/rqspin.fish-completion"

    def offered(line, cwd=TOP):
        script = 'source $argv[1]; complete -C "$argv[2]"'
        cmd = ["fish", "--no-config", "-c", script, file, line]
        res = subprocess.run(cmd, capture_output=True, text=True, check=True, cwd=cwd, env=ENV)
        assert res.stderr == ""
        return {text.split("\t")[0] for text in res.stdout.splitlines()}

    return offered


@pytest.mark.parametrize("line, want", LINES)
def test_zsh(zsh, line, want):
    assert zsh(line) == want


@pytest.mark.parametrize("line, want", LINES)
def test_fish(fish, line, want):
    assert fish(line) == want


def test_lists(zsh, fish):
    """What stands before the last comma stays."""
    assert "abba" in zsh("rqspin trace --kind aa,")
    assert {"aa,abba", "aa,cycle"} <= fish("rqspin trace --kind aa,")


def test_files(zsh, fish, tmp_path):
    for name in ("mine.bpf.o", "mine.jsonl"):
        (tmp_path / name).touch()
    for verb, want in ("check", "mine.bpf.o"), ("report", "mine.jsonl"):
        assert zsh(f"rqspin {verb} m", tmp_path) == {want}
        # fish offers the others, too, after these.
        assert want in fish(f"rqspin {verb} m", tmp_path)


@needs_locks
def test_programs_that_are_loaded(zsh, fish):
    """Only the command knows them."""
    with pinned(BUILD / "bpf/progs/abbcca.bpf.o"):
        want = {w for w in rqspin("--words", "prog").stdout.split() if w.startswith("abbcca_")}
        assert len(want) == 3
        assert zsh("rqspin trace --prog abbcca_") == want
        assert fish("rqspin trace --prog abbcca_") == want
