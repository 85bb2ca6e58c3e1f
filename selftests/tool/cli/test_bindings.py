# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
"""bindings: the packages for Go and Rust read our records and our JSON, also on this kernel."""

import os
import re
import shutil
import subprocess
import sys

import pytest
from conftest import BUILD, RQSPIN, TOP, find_clang, make, skip_without_locks

GO = TOP / "bindings/go"
RUST = TOP / "bindings/rust"
TARGET = {"CARGO_TARGET_DIR": str(BUILD / "bindings/rust")}
MINUTES = 600  # a first build compiles libbpf and what else the crate needs
LINE = "AA in aa at aa.bpf.c:41: "
RUNS = 1000


def run(*cmd, cwd, **env):
    return subprocess.run(
        cmd, cwd=cwd, env={**os.environ, **env}, capture_output=True, text=True, timeout=MINUTES
    )


def do(*cmd, cwd, **env):
    res = run(*cmd, cwd=cwd, **env)
    assert res.returncode == 0, res.stdout + res.stderr
    return res


def need(tool, cwd, *fetch, **env):
    """Its packages, too: a machine may have no way to them."""
    if not shutil.which(tool):
        pytest.skip(f"needs {tool}")
    res = run(tool, *fetch, cwd=cwd, **env)
    if res.returncode:
        pytest.skip(f"needs the packages of {tool}: {res.stderr.splitlines()[-1]}")


@pytest.fixture(scope="module")
def go():
    need("go", GO, "mod", "download")


@pytest.fixture(scope="module")
def cargo():
    """With the lock file, so with the hashes of what it compiles."""
    if not shutil.which("cargo"):
        pytest.skip("needs cargo")
    do(sys.executable, TOP / "scripts/cargo-lock.py", cwd=RUST)
    need("cargo", RUST, "fetch", "--locked", **TARGET)


@pytest.fixture(scope="module")
def go_objects(tmp_path_factory):
    """The loader knows no sections like .bss.rqspin."""
    folder = tmp_path_factory.mktemp("objects")
    clang = find_clang() or pytest.skip("needs clang 19 or newer: scripts/setup.sh")
    flags = ["-g", "-O2", "-target", "bpf", "-mcpu=v3", "-D__TARGET_ARCH_x86"]
    flags += ['-DRQSPIN_ZEROED=".data"', "-I", TOP / "include", "-I", BUILD]
    for source in (TOP / "bpf/progs/aa.bpf.c", TOP / "selftests/tool/rings/ring_64.bpf.c"):
        out = folder / source.name.replace(".c", ".o")
        do(clang, *flags, "-c", source, "-o", out, cwd=folder)
    return folder


@pytest.fixture(scope="module")
def go_examples(go, tmp_path_factory):
    folder = tmp_path_factory.mktemp("go")
    do("go", "build", "-o", f"{folder}/", "./...", cwd=GO)
    return folder


@pytest.fixture(scope="module")
def rust_examples(cargo):
    do("cargo", "build", "--locked", "--offline", "--examples", cwd=RUST, **TARGET)
    return BUILD / "bindings/rust/debug/examples"


def shows_what_trace_sees(program, obj):
    res = run(program, obj, cwd=TOP, RQSPIN=str(RQSPIN))
    assert (res.returncode, res.stdout.splitlines()) == (0, [f"{LINE}wants slots[0].lock"] * 3), res
    res = run(program, TOP / "README.md", cwd=TOP, RQSPIN=str(RQSPIN))
    assert res.returncode == 1 and "README.md" in res.stderr


def shows_what_the_ring_has(program, obj):
    res = do(program, obj, cwd=TOP)
    lines = res.stdout.splitlines()
    assert len(lines) == 3 and all(line.startswith(LINE + "cpu ") for line in lines), res
    wants, holds = lines[0].split(" wants ")[1].split(" holds ")
    assert wants == holds and not res.stderr
    res = run(program, TOP / "README.md", cwd=TOP)
    assert res.returncode == 1 and "README.md" in res.stderr


def counts_what_the_ring_lost(program, obj):
    """64 slots, three programs; more locks than there are groups: some are among the others."""
    res = do(program, obj, str(RUNS), cwd=TOP)
    assert len(res.stdout.splitlines()) == 64
    head, *counts = res.stderr.splitlines()
    assert head == f"{3 * RUNS - 64} failures were lost, 0 refused; all there were:"
    assert sum(int(line.split()[0]) for line in counts) == 3 * RUNS
    assert counts.pop().endswith(" others")
    assert all(line.endswith(" at rings.bpf.h:37") for line in counts)


def test_go_package(go):
    do("go", "vet", "./...", cwd=GO)
    do("go", "test", "./...", cwd=GO)


def test_rust_package(cargo):
    do("cargo", "test", "--locked", "--offline", "--all-targets", cwd=RUST, **TARGET)


def test_rust_is_clean(cargo):
    if run("cargo", "clippy", "--version", cwd=RUST).returncode:
        pytest.skip("needs cargo clippy")
    for features in ([], ["--no-default-features"]):
        clippy = ["cargo", "clippy", "--locked", "--offline", "--all-targets", *features]
        do(*clippy, "--", "-D", "warnings", cwd=RUST, **TARGET)


def test_go_trace(go_examples, go_objects, nothing_left):
    skip_without_locks()
    shows_what_trace_sees(go_examples / "deadlocks", go_objects / "aa.bpf.o")


def test_rust_trace(rust_examples, nothing_left):
    skip_without_locks()
    shows_what_trace_sees(rust_examples / "deadlocks", BUILD / "bpf/progs/aa.bpf.o")


def test_go_ring(go_examples, go_objects, nothing_left):
    skip_without_locks()
    shows_what_the_ring_has(go_examples / "ring", go_objects / "aa.bpf.o")


def test_rust_ring(rust_examples, nothing_left):
    skip_without_locks()
    shows_what_the_ring_has(rust_examples / "ring", BUILD / "bpf/progs/aa.bpf.o")


def test_go_losses(go_examples, go_objects, nothing_left):
    counts_what_the_ring_lost(go_examples / "ring", go_objects / "ring_64.bpf.o")


def test_rust_losses(rust_examples, nothing_left):
    counts_what_the_ring_lost(rust_examples / "ring", BUILD / "selftests/tool/rings/ring_64.bpf.o")


PROGRAM = """package main

import (
	"context"
	"fmt"
	"syscall"

	"github.com/cilium/ebpf"
	"rqspin.example/rqspin"
)

func update(ctx context.Context, flows *ebpf.Map, key, value uint32) error {
%s	return err
}

func main() {
	_ = update
	d := rqspin.Decide(ebpf.Hash, rqspin.OpUpdate, syscall.EDEADLK)
	fmt.Println(d.Retry, d.Tries)
}
"""


def test_a_go_program_elsewhere(go, tmp_path):
    """As the page says, with what make install has put there."""
    make("install", f"PREFIX={tmp_path}/prefix")
    module = f"{tmp_path}/prefix/share/rqspin/bindings/go"
    snippet = re.search(r"```go\n(.*?)```", (TOP / "docs/bindings.md").read_text(), re.S)[1]
    (tmp_path / "main.go").write_text(PROGRAM % snippet)
    do("go", "mod", "init", "user.example/user", cwd=tmp_path)
    require = "-require=rqspin.example/rqspin@v0.0.0"
    replace = f"-replace=rqspin.example/rqspin={module}"
    do("go", "mod", "edit", require, replace, cwd=tmp_path)
    do("go", "mod", "tidy", cwd=tmp_path)
    assert do("go", "run", ".", cwd=tmp_path).stdout == "true 5\n"
