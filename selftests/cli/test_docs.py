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
    # A guest has the BTF of another kernel. The Makefile may know the file by either name.
    keep = [f"-o{d}/vmlinux.h" for d in (BUILD, os.path.relpath(BUILD, TOP))]
    cmd = ["make", "-C", TOP, f"O={BUILD}", *keep, *args]
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
    other = dest / "opt/rq/share/man/man8/other.8"
    other.touch()
    make("uninstall", f"DESTDIR={dest}", "PREFIX=/opt/rq")
    assert [p for p in dest.rglob("*") if not p.is_dir()] == [other]
    assert set(dest.rglob("*")) == {
        other,
        *(p for p in other.parents if p.is_relative_to(dest / "opt")),
    }


def test_uninstall_leaves_only_what_was_there(tmp_path):
    (tmp_path / "opt/sbin").mkdir(parents=True)
    for _ in range(2):
        make("install", f"DESTDIR={tmp_path}", "PREFIX=/opt")
    make("uninstall", f"DESTDIR={tmp_path}", "PREFIX=/opt")
    assert {str(p.relative_to(tmp_path)) for p in tmp_path.rglob("*")} == {"opt", "opt/sbin"}


def test_install_without_destdir(tmp_path):
    for verb in ("install", "uninstall"):
        make(verb, "DESTDIR=", f"PREFIX={tmp_path}/opt/rq")
        assert (tmp_path / "opt/rq/sbin/rqspin").is_file() == (verb == "install")
    assert list(tmp_path.iterdir()) == []


def test_install_after_build_compiles_nothing(tmp_path):
    """make must not take objects away that the next make needs."""
    fresh = make("-n", "bpf", "user", f"O={tmp_path}/build").stdout.splitlines()
    assert any("clang" in line for line in fresh)
    assert [line for line in fresh if line.startswith("rm ") and ".bpf.o" in line] == []
    make("bpf", "user")
    again = make("-n", "install", f"DESTDIR={tmp_path}").stdout
    assert "install -p" in again and not re.search(r"clang|^gcc ", again, re.M)


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
    docs = {p.name for p in (TOP / "docs").iterdir() if p.suffix in (".md", ".json")}
    assert docs <= {p.name for p in (top / "share/doc/rqspin").iterdir()}


def slug(heading):
    """A heading's anchor, as the usual Markdown viewers make it."""
    return re.sub(r"[^\w\- ]", "", heading.strip().lower()).replace(" ", "-")


PAGES = [
    *TOP.glob("*.md"),
    *TOP.glob("docs/*.md"),
    *TOP.glob("selftests/**/*.md"),
    *TOP.glob("kernel-patches/*.md"),
    *TOP.glob("lab/*.md"),
    *TOP.glob("model/**/*.md"),
]


@pytest.mark.parametrize("page", PAGES, ids=lambda p: str(p.relative_to(TOP)))
def test_links(page):
    for link, anchor in re.findall(r"\]\((?!https?:)([^)#]*)#?([^)]*)\)", page.read_text()):
        target = page.parent / link if link else page
        assert target.is_file(), link
        headings = re.findall(r"^#+ (.*)$", target.read_text(), re.M) if anchor else []
        assert not anchor or anchor in map(slug, headings), (link, anchor)


def test_readme_links_every_page():
    text = (TOP / "README.md").read_text()
    assert [p.name for p in TOP.glob("docs/*.md") if f"(docs/{p.name})" not in text] == []


def test_links_between_installed_docs(installed):
    docs = installed / "opt/rq/share/doc/rqspin"
    for page in docs.glob("*.md"):
        for link in re.findall(r"\]\(([^)#:]+)\)", page.read_text()):
            assert (docs / link).is_file(), (page.name, link)


def test_installed_samples_compile(installed, tables, tmp_path):
    clang = next((c for v in range(19, 23) if (c := shutil.which(f"clang-{v}"))), None)
    if not clang:
        pytest.skip("needs clang 19 or newer: scripts/setup.sh")
    top = installed / "opt/rq"
    flags = ["-g", "-O2", "-target", "bpf", "-mcpu=v3", f"-I{BUILD}", f"-I{top}/include"]
    for sample in ("aa", "abba", "list_under_lock", "fallback"):
        source = top / f"share/doc/rqspin/progs/{sample}.bpf.c"
        cmd = [clang, *flags, "-c", source, "-o", tmp_path / "x.o"]
        subprocess.run(cmd, check=True, cwd=tmp_path)
    names = {p.name for p in (top / "share/doc/rqspin/progs").iterdir()}
    assert {f"{s['name']}.bpf.c" for s in tables["samples"]} <= names


def test_pkg_config(installed):
    if not shutil.which("pkg-config"):
        pytest.skip("needs pkg-config")
    env = dict(os.environ, PKG_CONFIG_PATH=str(installed / "opt/rq/share/pkgconfig"))
    flags = subprocess.run(
        ["pkg-config", "--cflags", "rqspin"], env=env, capture_output=True, text=True, check=True
    )
    assert flags.stdout.split() == ["-I/opt/rq/include"]


def test_readme_program(installed, locks, tmp_path):
    """What the README tells to write and to type, with the installed headers and command."""
    text = (TOP / "README.md").read_text()
    part = text[text.index("## Locks in your own BPF program") :]
    source, lines = (
        re.search(rf"^```{kind}\n(.*?)^```", part, re.M | re.S)[1] for kind in ("c", "sh")
    )
    (tmp_path / "mine.bpf.c").write_text(source)
    if not shutil.which("clang-19"):
        pytest.skip("needs clang-19, as the README's lines do")
    # The prefix is below the test's folder: pkg-config is told so, and bpffs has one name per test.
    env = dict(
        os.environ,
        PATH=f"{installed}/opt/rq/sbin:{os.environ['PATH']}:/usr/sbin",
        PKG_CONFIG_PATH=str(installed / "opt/rq/share/pkgconfig"),
        PKG_CONFIG_SYSROOT_DIR=str(installed),
    )
    pin = f"/sys/fs/bpf/mine-{os.getpid()}"
    script = "set -e\n" + lines.replace("/sys/fs/bpf/mine", pin)
    try:
        res = subprocess.run(
            ["bash", "-c", script],
            cwd=tmp_path,
            env=env,
            capture_output=True,
            text=True,
            timeout=120,
        )
    finally:
        shutil.rmtree(pin, ignore_errors=True)
    assert res.returncode == 0, res.stderr
    row = re.search(r"^count_packets +\d+ +(\d+) +(\d+)", res.stdout, re.M)
    assert row and row.groups() == ("1000", "1000"), res.stdout
