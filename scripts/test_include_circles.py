# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
import subprocess
import sys
from pathlib import Path

import pytest

CHECK = Path(__file__).with_name("include-circles.py")


LAYERS = """# a comment
[one]
low
low/part
high: other/named
[two]
other/named
other/top: high
"""


def check(folder, files, layers=LAYERS):
    (folder / "layers").write_text(layers)
    for name, includes in files.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text("".join(f'#include "{i}"\n' for i in includes))
    cmd = [sys.executable, CHECK, "--layers", "layers", *files]
    return subprocess.run(cmd, cwd=folder, capture_output=True, text=True, check=False)


GOOD = {
    "a file and its header": {"low/a.c": ["a.h"], "low/a.h": []},
    "a diamond": {
        "low/a.h": ["b.h", "c.h"],
        "low/b.h": ["d.h"],
        "low/c.h": ["d.h"],
        "low/d.h": ["stdio.h", "built.skel.h"],
    },
    "what is below": {
        "high/a.c": ["../low/b.h", "low/part/c.h"],
        "low/b.h": [],
        "low/part/c.h": [],
    },
    "what is named": {"high/a.c": ["other/named/b.h"], "other/named/b.h": []},
}
BAD = {
    "two headers": {"low/a.h": ["low/b.h"], "low/b.h": ["a.h"]},
    "by way of a C file": {
        "low/a.c": ["a.h", "part/b.h"],
        "low/a.h": [],
        "low/part/b.h": ["../a.h"],
    },
    "three": {"low/a.h": ["b.h"], "low/b.h": ["c.h"], "low/c.h": ["a.h"]},
}
NODES = {"two headers": 2, "by way of a C file": 2, "three": 3}
UPWARDS = {
    "low -> high": {"low/a.c": ["../high/b.h"], "high/b.h": []},
    "low -> low/part": {"low/a.c": ["part/b.h"], "low/part/b.h": []},
    "other/named -> low": {"other/named/a.c": ["../../low/b.h"], "low/b.h": []},
    "high -> other/top": {"high/a.c": ["other/top/b.h"], "other/top/b.h": []},
    "new: not in the table": {"new/a.c": []},
}


@pytest.mark.parametrize("name", GOOD)
def test_nothing_to_say(tmp_path, name):
    res = check(tmp_path, GOOD[name])
    assert (res.returncode, res.stdout) == (0, "")


@pytest.mark.parametrize("name", BAD)
def test_a_circle_is_named(tmp_path, name):
    res = check(tmp_path, BAD[name])
    assert res.returncode == 1
    members = res.stdout.strip().split(" -> ")
    assert members[0] == members[-1] and len(members) == NODES[name] + 1


@pytest.mark.parametrize("said", UPWARDS)
def test_an_include_upwards_is_named(tmp_path, said):
    res = check(tmp_path, UPWARDS[said])
    assert (res.returncode, res.stdout.strip()) == (1, said)


def test_a_stale_line_is_named(tmp_path):
    (tmp_path / "a.c").write_text("")
    (tmp_path / "layers").write_text("[one]\n.\ngone\n")
    cmd = [sys.executable, CHECK, "--layers", "layers", "--complete", "a.c"]
    res = subprocess.run(cmd, cwd=tmp_path, capture_output=True, text=True, check=False)
    assert (res.returncode, res.stdout.strip()) == (1, "gone: not in the tree")


def test_the_table_knows_every_folder():
    files = subprocess.run(
        ["git", "ls-files", "*.c", "*.h"], cwd=CHECK.parents[1], capture_output=True, text=True
    ).stdout.split()
    assert files
    cmd = [sys.executable, CHECK, "--complete", *files]
    res = subprocess.run(cmd, cwd=CHECK.parents[1], capture_output=True, text=True, check=False)
    assert (res.returncode, res.stdout) == (0, "")
