# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
"""Man page, completion and installation: made from the tables, complete, and they work."""

import json
import os
import pathlib
import re
import shutil
import subprocess

import pytest
from conftest import BUILD, TOP, rqspin

EXIT_CODES = ["0", "1", "2", "3", "4", "10", "130, 143"]


def make(*args):
    cmd = ["make", "-s", "-C", TOP, f"O={BUILD}", *args]
    return subprocess.run(cmd, check=True, capture_output=True, text=True)


@pytest.fixture(scope="session")
def tables():
    return json.loads(rqspin("--dump-tables").stdout)


@pytest.fixture(scope="session")
def man_page():
    make("docs")
    return BUILD / "docs/rqspin.8"


def test_man_renders_without_warning(man_page):
    if not shutil.which("groff"):
        pytest.skip("needs groff: apt-get install groff-base")
    res = subprocess.run(
        ["groff", "-ww", "-man", "-Tutf8", man_page], capture_output=True, text=True
    )
    assert res.returncode == 0 and res.stderr == ""
    assert "@" not in res.stdout.replace("[@]", "")


def test_man_has_every_option_and_exit_code(man_page, tables):
    text = man_page.read_text().replace("\\-", "-")
    for verb in tables["verbs"]:
        section = re.search(rf"^\.SS {verb['name']}$(.*?)(?=^\.S[SH])", text, re.M | re.S)[1]
        for option in verb["options"]:
            assert f"--{option['name']}\\fR" in section, (verb["name"], option["name"])
    for sample in tables["samples"]:
        assert f".B {sample['name']}\n" in text
    for code in EXIT_CODES:
        assert f".TP\n.B {code}\n" in text
    for section in ("OVERHEAD", "CAVEATS", "EXIT STATUS", "EXAMPLES"):
        assert f".SH {section}\n" in text


def test_help_matches_tables(tables):
    for verb in tables["verbs"]:
        text = rqspin("help", verb["name"]).stdout
        for option in verb["options"]:
            assert f"--{option['name']}" in text
    assert rqspin("--version").stdout == f"rqspin {tables['version']}\n"


def complete(words):
    """What bash offers for the last of the words."""
    make("docs")
    script = (
        'source "$1"; shift; COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1)); _rqspin; '
        'printf "%s\\n" "${COMPREPLY[@]}"'
    )
    file = BUILD / "docs/rqspin.bash-completion"
    cmd = ["bash", "-c", script, "bash", file, *words]
    res = subprocess.run(cmd, capture_output=True, text=True, check=True)
    assert res.stderr == ""
    return res.stdout.split()


@pytest.mark.parametrize(
    "line, offered",
    [
        ("rqspin tr", {"trace"}),
        ("rqspin help do", {"doctor"}),
        ("rqspin run ab", {"abba", "abbcca"}),
        ("rqspin run --dur", {"--duration"}),
        ("rqspin ru --dur", {"--duration"}),
        ("rqspin trace --no-a", {"--no-addr"}),
        ("rqspin -v list --js", {"--json"}),
        ("rqspin --vers", {"--version"}),
        ("rqspin list --cpus", set()),
    ],
)
def test_completion(line, offered):
    assert set(complete(line.split(" "))) == offered


def test_completion_has_all_samples(tables):
    assert {s["name"] for s in tables["samples"]} <= set(complete(["rqspin", "run", ""]))


@pytest.fixture(scope="module")
def installed(tmp_path_factory):
    dest = tmp_path_factory.mktemp("dest")
    make("install", f"DESTDIR={dest}", "PREFIX=/opt/rq")
    yield dest
    make("uninstall", f"DESTDIR={dest}", "PREFIX=/opt/rq")
    assert [p for p in dest.rglob("*") if p.is_file()] == []


def test_installed_tree_works(installed):
    """From any folder, without the checkout: the binary finds the samples beside it."""
    binary = installed / "opt/rq/sbin/rqspin"
    env = {k: v for k, v in os.environ.items() if k != "RQSPIN_PROGS_DIR"}
    cmd = [binary, "run", "aa", "--count", "3", "--json"]
    res = subprocess.run(cmd, cwd="/", env=env, capture_output=True, text=True, timeout=60)
    assert res.returncode == 0, res.stderr
    run = json.loads(res.stdout)
    assert pathlib.Path(run["object"]).resolve().is_relative_to(installed)
    assert run["total"]["failed"] == 3


def test_installed_files(installed, tables):
    top = installed / "opt/rq"
    for sample in tables["samples"]:
        assert (top / f"lib/rqspin/progs/{sample['name']}.bpf.o").is_file()
    ours = {p.name for p in (TOP / "include/rqspin").glob("*.h")}
    assert {p.name for p in (top / "include/rqspin").iterdir()} == ours
    assert (top / "share/man/man8/rqspin.8").is_file()
    assert (top / "share/bash-completion/completions/rqspin").is_file()


def test_pkg_config(installed):
    if not shutil.which("pkg-config"):
        pytest.skip("needs pkg-config")
    env = dict(os.environ, PKG_CONFIG_PATH=str(installed / "opt/rq/share/pkgconfig"))
    flags = subprocess.run(
        ["pkg-config", "--cflags", "rqspin"], env=env, capture_output=True, text=True, check=True
    )
    assert flags.stdout.split() == ["-I/opt/rq/include"]
