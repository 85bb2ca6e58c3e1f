# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
import subprocess
import sys
from pathlib import Path

import pytest

CHECK = Path(__file__).with_name("include-circles.py")


def check(folder, files):
    for name, includes in files.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text("".join(f'#include "{i}"\n' for i in includes))
    return subprocess.run(
        [sys.executable, CHECK, *files], cwd=folder, capture_output=True, text=True, check=False
    )


GOOD = {
    "a file and its header": {"user/a.c": ["a.h"], "user/a.h": []},
    "a diamond": {
        "user/a.h": ["base/b.h", "base/c.h"],
        "user/base/b.h": ["base/d.h"],
        "user/base/c.h": ["base/d.h"],
        "user/base/d.h": ["stdio.h", "built.skel.h"],
    },
}
BAD = {
    "two headers": {"user/a.h": ["base/b.h"], "user/base/b.h": ["a.h"]},
    "by way of a C file": {
        "selftests/a.c": ["a.h", "sub/b.h"],
        "selftests/a.h": [],
        "selftests/sub/b.h": ["../a.h"],
    },
    "folders of user/": {
        "user/a/x.c": ["b/y.h"],
        "user/b/y.h": [],
        "user/b/z.c": ["a/w.h"],
        "user/a/w.h": [],
    },
    "three": {"user/a.h": ["b.h"], "user/b.h": ["c.h"], "user/c.h": ["a.h"]},
}

NODES = {"two headers": 2, "by way of a C file": 2, "folders of user/": 2, "three": 3}


@pytest.mark.parametrize("name", GOOD)
def test_no_circle(tmp_path, name):
    res = check(tmp_path, GOOD[name])
    assert (res.returncode, res.stdout) == (0, "")


@pytest.mark.parametrize("name", BAD)
def test_a_circle_is_named(tmp_path, name):
    res = check(tmp_path, BAD[name])
    assert res.returncode == 1
    members = res.stdout.strip().split(" -> ")
    assert members[0] == members[-1] and len(members) == NODES[name] + 1
