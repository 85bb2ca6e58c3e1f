# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
"""make dist: the whole tree, and the same bytes each time."""

import pathlib
import re
import subprocess
import tarfile

import pytest

TOP = pathlib.Path(__file__).resolve().parents[1]


def run(*cmd):
    return subprocess.run(cmd, cwd=TOP, capture_output=True, text=True, check=True).stdout


@pytest.fixture(scope="module")
def archive():
    if not (TOP / ".git").exists():
        pytest.skip("needs a checkout: the archive is what is committed")
    path = TOP / run("make", "-s", "dist").split()[-1]
    return path, path.read_bytes()


def test_same_bytes(archive):
    path, first = archive
    path.unlink()
    run("make", "-s", "dist")
    assert path.read_bytes() == first


def test_has_what_is_committed(archive):
    path, _ = archive
    tracked = set(run("git", "ls-tree", "-r", "--name-only", "HEAD").splitlines())
    with tarfile.open(path) as tar:
        files = {m.name.partition("/")[2] for m in tar if not m.isdir()}
    assert files == tracked


def test_packages_have_the_version():
    version = re.search(r'"(.*)"', (TOP / "user/base/version.h").read_text())[1]
    assert (TOP / "packaging/debian/changelog").read_text().startswith(f"rqspin ({version}-")
    spec = (TOP / "packaging/rpm/rqspin.spec").read_text()
    assert re.search(r"^Version: +(\S+)", spec, re.M)[1] == version
