# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
"""libbpf.sh: the source that is pinned appears whole or not at all."""

import os
import shutil
import subprocess
from pathlib import Path

import pytest

TOP = Path(__file__).resolve().parent.parent
FULL = """#!/bin/bash
mkdir -p "${!#}/src" && : >"${!#}/src/libbpf.map"
echo "cp: no space left on device" >&2
exit 1
"""


@pytest.fixture
def tree(tmp_path):
    for folder in ("scripts", "bin", "given/src", "given/include"):
        (tmp_path / folder).mkdir(parents=True)
    for name in ("libbpf.sh", "mirrors.sh"):
        shutil.copy(TOP / "scripts" / name, tmp_path / "scripts" / name)
    for name in ("LICENSE", "src/libbpf.map", "src/libbpf.c", "include/x.h"):
        (tmp_path / "given" / name).write_text(name)
    (tmp_path / "scripts/libbpf.conf").write_text("LIBBPF_VERSION=1 LIBBPF_TREE_SHA256=\n")
    wanted = subprocess.check_output(
        ["scripts/libbpf.sh", "--sum", "given"], cwd=tmp_path, text=True
    )
    (tmp_path / "scripts/libbpf.conf").write_text(
        f"LIBBPF_VERSION=1 LIBBPF_TREE_SHA256={wanted.strip()}\n"
    )
    return tmp_path


def fetch(tree):
    env = os.environ | {"LIBBPF_SRC": "given", "PATH": f"{tree}/bin:{os.environ['PATH']}"}
    return subprocess.run(
        ["scripts/libbpf.sh"], cwd=tree, env=env, capture_output=True, text=True, check=False
    )


def left(tree):
    return sorted(p.name for p in (tree / ".cache").iterdir() if p.name != "libbpf.lock")


def test_source_that_is_given_is_taken(tree):
    assert fetch(tree).returncode == 0
    assert left(tree) == ["libbpf-1"]
    assert (tree / ".cache/libbpf-1/src/libbpf.c").read_text() == "src/libbpf.c"


def test_half_a_copy_is_no_source(tree):
    fake = tree / "bin/cp"
    fake.write_text(FULL)
    fake.chmod(0o755)
    res = fetch(tree)
    assert res.returncode == 1
    assert "no space left" in res.stderr
    assert left(tree) == []


def test_another_source_is_refused(tree):
    (tree / "given/src/libbpf.c").write_text("another")
    res = fetch(tree)
    assert res.returncode == 1
    assert "LIBBPF_SRC=given is not the source of libbpf 1" in res.stderr
    assert left(tree) == []
