# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
"""The driver in a tree of its own, whose guests are scripts that answer at once."""

import os
import shutil
import subprocess
from pathlib import Path

import pytest

TOP = Path(__file__).resolve().parent.parent
SUITES = """
+full | old queue | 60 | true
+least-of-b | b queue | 60 | selftests/kernel.sh
+least-of-newest | newest queue | 60 | selftests/kernel.sh
"""
FETCH = """#!/bin/bash
mkdir -p build/kernels/$1
cat images/$1 >build/kernels/$1/IMAGE
cat said/$1 >&2 2>/dev/null || true
"""
RUN = """#!/bin/bash
[ ! -e said/$2 ] || cat said/$2
echo "ok 1 - $2"
"""


@pytest.fixture
def tree(tmp_path):
    for folder in ("scripts", "selftests/vm", "images", "said"):
        (tmp_path / folder).mkdir(parents=True)
    for name in ("run-tests.sh", "tally.py"):
        shutil.copy(TOP / "scripts" / name, tmp_path / "scripts" / name)
    (tmp_path / "scripts/suites.conf").write_text(SUITES)
    for name, text in (("fetch-kernel.sh", FETCH), ("run.sh", RUN)):
        script = tmp_path / "selftests/vm" / name
        script.write_text(text)
        script.chmod(0o755)
    for kernel, image in (("old", "linux-7.2 7.2-1"), ("b", "linux-7.3 7.3-1")):
        (tmp_path / "images" / kernel).write_text(image)
    return tmp_path


def run_all(tree):
    env = os.environ | {"BPFTOOL": "/bin/false"}
    cmd = ["scripts/run-tests.sh", "--all"]
    res = subprocess.run(cmd, cwd=tree, env=env, capture_output=True, text=True, check=False)
    return res.returncode, res.stdout


@pytest.mark.parametrize("twin", ["old", "b"])
def test_one_image_is_tested_once(tree, twin):
    image = (tree / "images" / twin).read_text()
    (tree / "images/newest").write_text(image)
    status, out = run_all(tree)
    assert status == 0, out
    assert out.splitlines()[-1] == "2 passed, 0 failed, 1 skipped"
    assert f"skip: least-of-newest: whole suite: newest is the image of {twin} ({image})" in out


def test_a_suite_that_is_nowhere_else_runs_in_any_case(tree):
    (tree / "images/b").write_text((tree / "images/old").read_text())
    (tree / "scripts/suites.conf").write_text(SUITES + "+own | b queue | 60 | build/own --run\n")
    (tree / "images/newest").write_text("linux-7.4 7.4~rc1-1")
    status, out = run_all(tree)
    assert status == 0, out
    assert out.splitlines()[-1] == "3 passed, 0 failed, 1 skipped"
    assert "skip: least-of-b: whole suite: b is the image of old" in out


def test_another_image_is_tested(tree):
    (tree / "images/newest").write_text("linux-7.4 7.4~rc1-1")
    status, out = run_all(tree)
    assert (status, out.splitlines()[-1]) == (0, "3 passed, 0 failed, 0 skipped")


@pytest.mark.parametrize(
    ("image", "sum_of"),
    [
        ("linux-7.4 7.4~rc1-1", "3 passed, 0 failed, 1 skipped"),
        ("linux-7.3 7.3-1", "2 passed, 0 failed, 2 skipped"),
    ],
)
def test_a_suite_that_nobody_could_look_at_is_in_the_sum(tree, image, sum_of):
    (tree / "images/newest").write_text(image)
    unseen = "newest: suite not looked at: no package lists from x rare"
    (tree / "said/newest").write_text(f"fetch-kernel: {unseen}\n")
    status, out = run_all(tree)
    assert (status, out.splitlines()[-1]) == (0, sum_of)
    assert f"skip: least-of-newest: newer kernel: {unseen}" in out
