# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
"""docs/examples: programs in Go and Rust load our objects and read our events."""

import os
import shutil
import subprocess

import pytest
from conftest import RQSPIN, TOP, find_clang, skip_without_locks

EXAMPLES = TOP / "docs/examples"
MINUTES = 600  # a first build compiles libbpf and what else the Rust example needs
LINE = "AA in aa at aa.bpf.c:41: wants slots[0].lock"


def run(*cmd, cwd, **env):
    return subprocess.run(
        cmd, cwd=cwd, env={**os.environ, **env}, capture_output=True, text=True, timeout=MINUTES
    )


def need(tool, cwd, *fetch, **env):
    """Its packages, too: a machine may have no way to them."""
    if not shutil.which(tool):
        pytest.skip(f"needs {tool}")
    res = run(tool, *fetch, cwd=cwd, **env)
    if res.returncode:
        pytest.skip(f"needs the packages of {tool}: {res.stderr.splitlines()[-1]}")


def build(*cmd, cwd, **env):
    res = run(*cmd, cwd=cwd, **env)
    assert res.returncode == 0, res.stderr


def for_go(folder):
    """The loader knows no sections like .bss.rqspin."""
    clang = find_clang() or pytest.skip("needs clang 19 or newer: scripts/setup.sh")
    flags = ["-g", "-O2", "-target", "bpf", "-mcpu=v3", "-D__TARGET_ARCH_x86"]
    flags += ['-DRQSPIN_ZEROED=".data"', "-I", TOP / "include", "-I", TOP / "build"]
    build(clang, *flags, "-c", TOP / "bpf/progs/aa.bpf.c", "-o", folder / "aa.bpf.o", cwd=folder)
    return folder / "aa.bpf.o"


def shows_failures(program, obj):
    res = run(program, obj, cwd=TOP, RQSPIN=str(RQSPIN))
    assert (res.returncode, res.stdout.splitlines()) == (0, [LINE] * 3), res.stderr
    res = run(program, TOP / "README.md", cwd=TOP, RQSPIN=str(RQSPIN))
    assert res.returncode == 1 and "README.md" in res.stderr


def test_go(tmp_path, nothing_left):
    skip_without_locks()
    need("go", EXAMPLES / "go", "mod", "download")
    build("go", "vet", "./...", cwd=EXAMPLES / "go")
    build("go", "build", "-o", tmp_path / "deadlocks", ".", cwd=EXAMPLES / "go")
    shows_failures(tmp_path / "deadlocks", for_go(tmp_path))


def test_rust(nothing_left):
    skip_without_locks()
    target = {"CARGO_TARGET_DIR": str(TOP / "build/examples/rust")}
    need("cargo", EXAMPLES / "rust", "fetch", **target)
    build("cargo", "build", "--release", cwd=EXAMPLES / "rust", **target)
    program = TOP / "build/examples/rust/release/deadlocks"
    shows_failures(program, TOP / "build/bpf/progs/aa.bpf.o")
