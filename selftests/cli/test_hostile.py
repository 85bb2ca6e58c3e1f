# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
"""Files, folders, children and input that somebody has prepared against us."""

import json
import os
import shutil
import subprocess

import pytest
from conftest import LIMIT, RQSPIN, rqspin
from test_report import failure, leaves, lock, numbers, summary, write

# A name is cut at 359 bytes: the last of them is the first half of a character.
CUT = "x" * 358 + "\u00e9\u00e9"


def frames(name):
    return f"Call trace:\n{name}+0x1/0x2\n\n"


NAMES = {
    "prog": {"prog": CUT},
    "lock": {"name": CUT},
    "function": {"report": frames(CUT)},
    "program's function": {"report": frames(f"bpf_prog_0123456789abcdef_{CUT[26:]}")},
    "comm": {"comm": CUT},
    "file": {"at": {"line": 1, "file": f"/{CUT}", "text": None, "call": True}},
}


@pytest.mark.parametrize("other", NAMES.values(), ids=NAMES)
def test_a_name_that_is_cut_within_a_character(tmp_path, other):
    data = numbers(write(tmp_path / "e", [failure("AA", **other)] * 3 + [summary()]))
    for table in (data["programs"], data["locks"], data["cycles"]):
        assert [row["count"] for row in table["rows"]] == [3]
    assert sum(leaves(data["stacks"]).values()) == 3
    assert data["stacks_shortened"] == 0


def test_totals_and_kinds_that_are_cut(tmp_path):
    total = {"prog_id": 5, "prog": CUT, "kind": "AA", "failures": 5, "lost": 1}
    kind = "x" * 6 + "\u00e9" * 20
    lines = [failure(kind), failure("AA"), summary(totals=[total, {**total, "prog": CUT + "y"}])]
    res = rqspin("report", "--json", write(tmp_path / "e", lines))
    data = json.loads(res.stdout)
    assert [(t["prog"], t["count"]) for t in data["totals"]] == [(CUT, 5), (CUT + "y", 5)]
    assert sum(sum(b.values()) for b in data["timeline"]["bins"]) == 2


def test_report_frees_nothing_that_it_uses(tmp_path):
    if not shutil.which("valgrind") or os.environ.get("O", "build") != "build":
        pytest.skip("needs valgrind and a build without sanitizers")
    total = {"prog_id": 5, "prog": CUT, "kind": "AA", "failures": 5, "lost": 1}
    lines = [failure("AA", **other) for other in NAMES.values()] + [summary(totals=[total])]
    cmd = ["valgrind", "-q", "--error-exitcode=9", RQSPIN, "report", "--json"]
    cmd.append(write(tmp_path / "e", lines))
    res = subprocess.run(cmd, capture_output=True, text=True, timeout=LIMIT)
    assert res.returncode == 0, res.stderr


def test_a_chain_of_any_length(tmp_path):
    """A graph of all of it would take graphviz minutes."""
    unknown = dict.fromkeys(("tid", "prog", "at"))
    chain = [
        {"cpu": n, "wants": lock(f"l{n}", hex(n)), "function": f"f{n}", **unknown}
        for n in range(3000)
    ]
    (cycle,) = numbers(write(tmp_path / "e", [failure("CYCLE", chain=chain)]))["cycles"]["rows"]
    assert ">2985 more CPUs</text>" in cycle["svg"] and ">f14</text>" in cycle["svg"]
    assert cycle["svg"].count('class="node who"') == 17
    assert cycle["text"].endswith("f15 wants l15; and 2984 more CPUs")


def test_any_number_of_names(tmp_path):
    """Those beyond a limit are counted as one; the sum is right."""
    lines = [failure("AA", f"p{n}", f"l{n}", comm=f"t{n}") for n in range(10_050)]
    res = rqspin("report", "--json", write(tmp_path / "e", lines))
    data = json.loads(res.stdout)
    for table in ("programs", "locks"):
        assert data[table]["rows"][0] == {"count": 50, "kinds": {"AA": 50}, "name": "(others)"}
        rows = data[table]["rows"]
        assert sum(row["count"] for row in rows) + data[table]["more_count"] == 10_050
    rows = data["cycles"]["rows"]
    assert sum(row["count"] for row in rows) + data["cycles"]["more_count"] == 10_050
    assert "8050 failures are of cycles beyond the first 2000 different ones" in res.stderr


def test_a_line_without_end(tmp_path):
    events = tmp_path / "e"
    events.write_bytes(b" " * (17 << 20))
    for skip in ([], ["--skip"]):
        res = rqspin("report", *skip, "--json", events)
        assert res.returncode == 1 and "e:1: the line is longer than 16 MiB" in res.stderr


def written(verb, where, tmp_path):
    """A verb that writes a file of that name."""
    events = write(tmp_path / "events", [failure("AA"), summary()])
    args = {
        "report": ["report", events, "-o", where],
        "export": ["export", "--textfile", where, "--duration", "1ms"],
        "trace": ["trace", "--ready-file", where, "--duration", "1ms"],
        "check": ["check", RQSPIN.parent / "bpf/progs/abba.bpf.o", f"--dot={where}"],
    }[verb]
    return rqspin(*args)


WRITERS = ["report", "export", "trace", "check"]


@pytest.mark.parametrize("verb", WRITERS)
def test_a_written_file(tmp_path, verb):
    """A neighbour of it is left alone, mode and owner stay, no link is followed."""
    folder = tmp_path / "out"
    folder.mkdir()
    file, neighbour = folder / "file", folder / "file.tmp"
    neighbour.write_text("precious")
    file.write_text("old")
    file.chmod(0o600)
    if os.geteuid() == 0:
        os.chown(file, 65534, 65534)
    before = file.stat()
    res = written(verb, file, tmp_path)
    assert res.returncode in (0, 10), res.stderr
    after = file.stat()
    assert file.read_text() != "old", res.stderr
    assert (after.st_mode, after.st_uid) == (before.st_mode, before.st_uid)
    assert neighbour.read_text() == "precious"
    assert sorted(p.name for p in folder.iterdir()) == ["file", "file.tmp"]


@pytest.mark.parametrize("verb", WRITERS)
def test_a_link_is_not_followed(tmp_path, verb):
    target, link = tmp_path / "target", tmp_path / "link"
    target.write_text("precious")
    link.symlink_to(target)
    res = written(verb, link, tmp_path)
    assert res.returncode in (1, 2) and f"{link}" in res.stderr, res.stderr
    assert target.read_text() == "precious" and link.is_symlink()
