# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
"""rqspin check: locks inside maps, across hooks; each object says what it comes to, by kernel."""

import concurrent.futures
import json
import re

import pytest
from conftest import BUILD, TOP, rqspin, validator
from kernelbtf import kernels_btf

CLEAN, FAIL, FOUND = 0, 1, 10
OBJECTS = BUILD / "selftests/tool/check/maps"
SOURCES = sorted((TOP / "selftests/tool/check/maps").glob("*.bpf.c"))
TRAMPOLINES = "BPF trampolines"
KINDS = {"map-hang", "map-fails"}

pytestmark = pytest.mark.usefixtures("nothing_left")


@pytest.fixture(scope="module")
def kernels(tmp_path_factory):
    return kernels_btf(tmp_path_factory.mktemp("kernels"))


@pytest.fixture(scope="module")
def judged(kernels):
    """By kernel and object, its findings. Each waits for the kernel most of the time."""
    names = [object_of(s) for s in SOURCES]
    pairs = [(kernel, name) for kernel in ("plain", "later") for name in names]
    with concurrent.futures.ThreadPoolExecutor(16) as pool:
        found = pool.map(lambda p: judge(OBJECTS / p[1], "--btf", kernels[p[0]]), pairs)
        return dict(zip(pairs, found, strict=True))


def judge(obj, *args):
    out = json.loads(rqspin("check", "--json", *args, obj).stdout)
    validator("check.schema.json").validate(out)
    return out


def outcome(finding):
    """The word hangs, or the errors of a finding, in order."""
    if finding["kind"] == "map-hang":
        assert finding["severity"] == "warning"
        assert re.search(
            r"hangs?( the CPU)?, as such (a lock is|locks are) plain here$", finding["message"]
        )
        return "hangs"
    assert finding["severity"] == "note"
    says = re.search(r"(?:then returns|one of which gets) (.*)$", finding["message"])[1]
    return " ".join(sorted(re.findall(r"E[A-Z0-9]+|NULL", says)))


def compare(source, kernel, findings):
    """With what the object says of a kernel whose locks in maps are plain, or resilient (later)."""
    wanted = re.search(rf"/\* {kernel}: (.*) \*/", source.read_text())[1]
    if any(TRAMPOLINES in f["message"] for f in findings):
        pytest.skip("it has fentry programs, and this kernel has no trampolines")
    for f in findings:
        if f["kind"] == "not-loaded" and "kernel BTF type ID" in f["message"]:
            pytest.skip(f"the compiler has inlined the function: {f['message']}")
    assert {f["kind"] for f in findings} <= KINDS
    outcomes = {outcome(f) for f in findings}
    # What can hang can also fail, elsewhere.
    worst = {"hangs"} if "hangs" in outcomes else outcomes
    assert worst == {wanted} - {"nothing"}


def object_of(source):
    return f"{source.name.removesuffix('.c')}.o"


every_object = pytest.mark.parametrize(
    "source", SOURCES, ids=lambda p: p.name.removesuffix(".bpf.c")
)


@pytest.mark.parametrize("kernel", ["plain", "later"])
@every_object
def test_pattern(source, kernel, judged):
    compare(source, kernel, judged[kernel, object_of(source)]["findings"])


@every_object
def test_pattern_on_this_kernel(source):
    """Judged by the locks of the running kernel; between 6.15 and 7.x it has both kinds."""
    out = judge(OBJECTS / object_of(source))
    kinds = {lock["kind"] for op in out["map_operations"] for lock in op["locks"]}
    if len(kinds) > 1:
        pytest.skip("this kernel has plain locks in one of these maps, resilient ones in another")
    compare(source, "later" if kinds == {"resilient"} else "plain", out["findings"])


def test_enough_of_both():
    names = [s.name for s in SOURCES]
    assert sum(n.startswith("bad_") for n in names) >= 12
    assert sum(n.startswith("good_") for n in names) >= 20


def test_counts_if_asked(kernels):
    path = OBJECTS / "bad_ring_in_nmi.bpf.o"
    args = "check", path, "--btf", kernels["later"]
    res = rqspin(*args)
    assert res.returncode == CLEAN and "0 findings, 1 note" in res.stderr
    res = rqspin(*args, "--error=map-fails")
    assert res.returncode == FOUND and "1 finding, 0 notes" in res.stderr
    assert "[map-fails]" in res.stdout and "returns NULL" in res.stdout


def test_what_hangs_counts(kernels):
    res = rqspin("check", OBJECTS / "bad_lru_in_nmi.bpf.o", "--btf", kernels["plain"])
    assert res.returncode == FOUND and "[map-hang]" in res.stdout
    assert "on_wakeup holds it in this update" in res.stdout


def test_a_kernel_that_is_not_known(tmp_path):
    missing = tmp_path / "none"
    res = rqspin("check", OBJECTS / "bad_ring_in_nmi.bpf.o", "--btf", missing)
    assert res.returncode == FAIL and f"--btf {missing}: no BTF" in res.stderr


def test_an_object_is_no_kernel():
    """A program's BTF can be read, but says nothing about locks in maps."""
    path = OBJECTS / "bad_ring_in_nmi.bpf.o"
    res = rqspin("check", path, "--btf", path)
    assert res.returncode == FAIL and res.stdout == ""
    assert f"--btf {path}: this is not a kernel's BTF" in res.stderr and "vmlinux" in res.stderr
