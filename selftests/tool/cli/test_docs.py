# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
"""Man page, completion and installation: made from the tables, complete, and they work."""

import json
import os
import pathlib
import re
import shutil
import subprocess

import pytest
from conftest import BUILD, TOP, find_clang, make, needs_two_cpus, rqspin, validator

EXIT_CODES = ["0", "1", "2", "3", "4", "10", "129, 130, 143"]


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
    for map_type in tables["map_types"]:
        assert re.search(rf"^\.B (.*, )?{map_type['name']}\b", text, re.M)
    for code in EXIT_CODES:
        assert f".TP\n.B {code}\n" in text
    for section in ("OVERHEAD", "CAVEATS", "EXIT STATUS", "EXAMPLES"):
        assert f".SH {section}\n" in text


def test_help_matches_tables(tables):
    for verb in tables["verbs"]:
        text = rqspin("help", verb["name"]).stdout
        for option in verb["options"]:
            assert f"--{option['name']}" in text
        assert not re.search(r"^ +$", text, re.M), "a text that fills its line leaves a blank one"
    assert rqspin("--version").stdout.splitlines()[0] == f"rqspin {tables['version']}"


def test_help_ends_with_the_examples(tables):
    """As they are in the table: argp wraps what is longer than its lines."""
    for verb in tables["verbs"]:
        assert verb["examples"], verb["name"]
        want = "Examples:\n" + "\n".join(
            f"  {e['what']}:\n" + "".join(f"    {line}\n" for line in e["lines"])
            for e in verb["examples"]
        )
        for text in rqspin("help", verb["name"]).stdout, rqspin(verb["name"], "-h").stdout:
            assert text.endswith(want), verb["name"]


def test_j_is_json(tables):
    for verb in tables["verbs"]:
        for option in (o for o in verb["options"] if o["name"] == "json"):
            assert option["key"] == "j"
    assert rqspin("list", "-j").stdout == rqspin("list", "--json").stdout


def test_version():
    out = json.loads(rqspin("version", "-j").stdout)
    validator("version.schema.json").validate(out)
    text = rqspin("version").stdout
    assert text == rqspin("--version").stdout
    bundled = out["features"]["libbpf_bundled"]
    kind = "bundled" if bundled else "the system's"
    assert f"using libbpf {out['libbpf_version']} ({kind})\n" in text
    # The loader is asked, not the command.
    linked = subprocess.run(["ldd", BUILD / "rqspin"], capture_output=True, text=True).stdout
    assert ("libbpf.so" in linked) == (not bundled)
    conf = (TOP / "scripts/libbpf.conf").read_text()
    if bundled:
        assert out["libbpf_version"] == re.search(r"^LIBBPF_VERSION=(.*)$", conf, re.M)[1]


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
        ("rqspin errno lru_", {"lru_hash", "lru_percpu_hash"}),
        ("rqspin errno hash up", {"update", "update_batch"}),
        ("rqspin errno --json queue p", {"push", "pop", "peek"}),
        ("rqspin errno --btf vmlinux queue po", {"pop"}),
        ("rqspin errno hash update E", set()),
        ("rqspin errno nonsense u", set()),
        ("rqspin replay --r", {"--run"}),
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


def test_install_says_where_things_went(tmp_path):
    said = make("install", f"DESTDIR={tmp_path}", "PREFIX=/opt/rq").stdout
    text = said[said.index(f"Installed in {tmp_path}/opt/rq:") :]
    named = re.findall(r"(?<=[ ,])(?:sbin|lib|share|include)/[\w./-]*\w", text)
    top = tmp_path / "opt/rq"
    assert len(named) == 12 and [n for n in named if not (top / n).exists()] == []
    unnamed = {p for p in top.rglob("*") if p.is_file()}
    unnamed -= {p for n in named for p in ((top / n), *(top / n).rglob("*"))}
    assert unnamed == {top / "lib/rqspin/folders"}
    make(*re.search(r"^Remove it with: make (.*)", text, re.M)[1].split())
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize(
    "args, said",
    [
        (["PREFIX="], "install: PREFIX='' is no absolute path: make install PREFIX=/usr/local"),
        (["PREFIX=usr"], "install: PREFIX='usr' is no absolute path"),
        (["DESTDIR=root"], "install: DESTDIR='root' is no absolute path"),
    ],
)
def test_install_wants_absolute_paths(args, said):
    res = subprocess.run(["make", "install-check", *args], capture_output=True, text=True, cwd=TOP)
    assert res.returncode == 2 and said in res.stderr


def test_fresh_clone_says_what_is_missing(tmp_path):
    """Without the Python tools that setup installs."""
    (tmp_path / "scripts").mkdir()
    for name in ("lint.sh", "find-clang.sh"):
        shutil.copy(TOP / "scripts" / name, tmp_path / "scripts")
    res = subprocess.run([tmp_path / "scripts/lint.sh"], capture_output=True, text=True)
    assert (res.returncode, res.stderr) == (1, "lint: no .venv/bin/ruff: run make setup\n")


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
    assert (top / "share/zsh/site-functions/_rqspin").is_file()
    assert (top / "share/fish/vendor_completions.d/rqspin.fish").is_file()
    docs = {p.name for p in (TOP / "docs").iterdir() if p.suffix in (".md", ".json")}
    docs.add("KNOWN_ISSUES.md")
    assert docs <= {p.name for p in (top / "share/doc/rqspin").iterdir()}


def slug(heading):
    """A heading's anchor, as the usual Markdown viewers make it."""
    return re.sub(r"[^\w\- ]", "", heading.strip().lower()).replace(" ", "-")


PAGES = [
    *TOP.glob("*.md"),
    *TOP.glob("docs/*.md"),
    *TOP.glob("selftests/**/*.md"),
    *TOP.glob("kernel-patches/**/*.md"),
    *TOP.glob("lab/**/*.md"),
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
        for link in re.findall(r"\]\((?!https?:)([^)#]+)[^)]*\)", page.read_text()):
            assert (docs / link).is_file(), (page.name, link)


def test_installed_samples_compile(installed, tables, tmp_path):
    clang = find_clang()
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


def from_guide(heading):
    """The first block of C and of shell lines below that heading of the guide."""
    text = (TOP / "docs/headers.md").read_text()
    part = text[text.index(f"## {heading}\n") :]
    return (re.search(rf"^```{kind}\n(.*?)^```", part, re.M | re.S)[1] for kind in ("c", "sh"))


def as_a_user(installed, lines, where):
    """Type them, with the installed headers and command."""
    # The prefix is below the test's folder: pkg-config is told so, and bpffs has one name per test.
    env = dict(
        os.environ,
        PATH=f"{installed}/opt/rq/sbin:{os.environ['PATH']}:/usr/sbin",
        PKG_CONFIG_PATH=str(installed / "opt/rq/share/pkgconfig"),
        PKG_CONFIG_SYSROOT_DIR=str(installed),
    )
    pin = f"/sys/fs/bpf/mine-{os.getpid()}"
    cmd = ["bash", "-c", "set -e\n" + lines.replace("/sys/fs/bpf/mine", pin)]
    try:
        return subprocess.run(cmd, cwd=where, env=env, capture_output=True, text=True, timeout=120)
    finally:
        shutil.rmtree(pin, ignore_errors=True)


needs_clang_19 = pytest.mark.skipif(
    not shutil.which("clang-19"), reason="needs clang-19, as the lines of docs/headers.md do"
)


@needs_clang_19
def test_quick_start_program(installed, locks, tmp_path):
    """What the guide says to write and to type."""
    source, lines = from_guide("Quick start")
    (tmp_path / "mine.bpf.c").write_text(source)
    res = as_a_user(installed, lines, tmp_path)
    assert res.returncode == 0, res.stderr
    row = re.search(r"^count_packets +\d+ +(\d+) +(\d+)", res.stdout, re.M)
    assert row and row.groups() == ("1000", "1000"), res.stdout


@needs_clang_19
def test_second_loadall(installed, locks, tmp_path):
    """It fails as the guide says, and does not once the pins are removed as the guide says."""
    source, lines = from_guide("Quick start")
    (tmp_path / "mine.bpf.c").write_text(source)
    load = next(line for line in lines.splitlines() if "loadall" in line)
    setup = "".join(f"{line}\n" for line in lines.splitlines() if not line.startswith("rqspin"))
    guide = (TOP / "docs/headers.md").read_text()
    remove = re.search("`(rm -r /sys/fs/bpf/mine)`", guide)[1]
    res = as_a_user(installed, f"{setup}{load}", tmp_path)
    assert res.returncode and "File exists" in res.stderr
    said = re.search(
        r"failed to pin at '/sys/fs/bpf/mine", res.stderr.replace(f"-{os.getpid()}", "")
    )
    assert said[0] in guide
    res = as_a_user(installed, f"{setup}{remove}\n{load}", tmp_path)
    assert res.returncode == 0, res.stderr


@needs_clang_19
@needs_two_cpus
def test_deadlock_on_purpose(installed, locks, tmp_path):
    """The guide's program, compiled as the quick start says: AA in each run, ABBA in some."""
    source, lines = from_guide("Make your own program deadlock")
    (tmp_path / "mine.bpf.c").write_text(source)
    compiling = "".join(line + "\n" for line in list(from_guide("Quick start"))[1].splitlines()[:2])
    lines = lines.splitlines()
    runs = "".join(f"{line} --json\n" for line in lines if line.startswith("rqspin run"))
    res = as_a_user(installed, compiling + runs, tmp_path)
    assert res.returncode == 0, res.stderr
    alone, both = (json.loads(run) for run in re.split(r"(?<=^})\n(?={)", res.stdout, flags=re.M))
    assert alone["total"]["failures"] == {"EDEADLK": 10, "ETIMEDOUT": 0, "other": 0}
    assert both["total"]["failed"] > 0 and both["total"]["failures"]["other"] == 0
    (trace,) = (line for line in lines if line.startswith("rqspin trace"))
    res = as_a_user(installed, f"{compiling}{trace}\n", tmp_path)
    assert res.returncode == 0, res.stderr
    shown = re.findall(r" prog \d+ (\w+) at mine\.bpf\.c:\d+: wants accounts\[[01]\]", res.stdout)
    assert shown and set(shown) <= {"forth", "back"}
