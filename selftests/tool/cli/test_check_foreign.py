# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
"""rqspin check on objects that nobody here wrote: `make check-foreign` fetches them and runs this.

But for those below no object has a deadlock that we know of, so a warning is a false alarm. What
cannot be decided or looked at must be said.
"""

import contextlib
import json
import os
import subprocess

import pytest
from bpfobj import pinned
from conftest import BUILD, LIMIT, RQSPIN, needs_locks, rqspin, validator

CLEAN, FAIL, UNSUPPORTED, FOUND = 0, 1, 3, 10
FOREIGN = BUILD / "foreign"
OBJECTS = sorted((FOREIGN / "objects").glob("*.bpf.o"))

ENOUGH = 60

# One of a library's tests that is wrong on purpose.
REFUSED = {"golang-github-cilium-ebpf-dev-strings-el.elf-0.bpf.o": "GPL-restricted"}

# Of Linux' selftests: deadlocks on purpose. That they are refused is the kernel's word, not ours.
DEADLOCKS = {"selftests-res_spin_lock": {"aa", "cycle"}}

pytestmark = [
    needs_locks,
    pytest.mark.usefixtures("nothing_left"),
    pytest.mark.skipif(not OBJECTS, reason="needs objects out of packages: make check-foreign"),
]


def measured(obj):
    """Exit code, JSON or None, messages; seconds of the CPU, and MiB: not below this process's."""
    out, err = FOREIGN / "out", FOREIGN / "err"
    with open(out, "w") as o, open(err, "w") as e:
        proc = subprocess.Popen([RQSPIN, "check", "--json", obj], stdout=o, stderr=e)
        _, status, usage = os.wait4(proc.pid, 0)
    proc.returncode = os.waitstatus_to_exitcode(status)
    text = out.read_text()
    cost = (usage.ru_utime + usage.ru_stime, usage.ru_maxrss / 1024)
    return proc.returncode, json.loads(text) if text else None, err.read_text(), cost


def is_expected(obj, finding):
    if obj.name in REFUSED:
        return REFUSED[obj.name] in finding["message"]
    name = obj.name.removesuffix(".bpf.o")
    refused = name.startswith("selftests-") and finding["kind"] == "refused"
    return refused or finding["kind"] in DEADLOCKS.get(name, ())


@pytest.fixture(scope="module")
def costs():
    """Of each object, and what was there to look at; the most expensive first."""
    rows = []
    yield rows
    rows.sort(reverse=True)
    lines = [f"{s:.2f} s\t{mib:.0f} MiB\t{insns}\t{name}" for s, mib, insns, name in rows]
    (FOREIGN / "costs.tsv").write_text("\n".join(lines) + "\n")


@pytest.mark.parametrize("obj", OBJECTS, ids=lambda p: p.name.removesuffix(".bpf.o"))
def test_foreign(obj, costs):
    code, out, err, cost = measured(obj)
    assert code in (CLEAN, FAIL, UNSUPPORTED, FOUND), err
    missing = code in (FAIL, UNSUPPORTED)
    assert not missing or str(obj) in err
    if not out:
        assert missing
        return
    validator("check.schema.json").validate(out)
    loud = [f for f in out["findings"] if f["severity"] != "note"]
    assert [f for f in loud if not is_expected(obj, f)] == []
    assert missing or (code == FOUND) == bool(loud)
    # Nothing looked at is no success.
    assert missing == (not out["programs"] and not loud)
    insns = sum(p["instructions"] for p in out["programs"])
    costs.append((*cost, insns, obj.name))


def test_enough_of_them():
    """An extractor that finds nothing makes all tests pass."""
    if len(OBJECTS) < ENOUGH:
        pytest.skip(f"only {len(OBJECTS)} objects in this system's packages")
    res = rqspin("check", "--json", *OBJECTS, timeout=LIMIT * len(OBJECTS) // 10)
    programs = json.loads(res.stdout)["programs"]
    assert len({p["object"] for p in programs}) >= ENOUGH
    assert sum(p["instructions"] > 0 for p in programs) >= 100


def test_loaded():
    """The same in the kernel, without their files."""
    with contextlib.ExitStack() as stack:
        nr = 0
        # bpftool pins maps of the others by their names, and leaves them behind.
        tools = [o for o in OBJECTS if o.name.startswith("libbpf-tools-")]
        for obj in tools[:25]:
            with contextlib.suppress(subprocess.CalledProcessError):
                stack.enter_context(pinned(obj))
                nr += 1
        assert nr
        res = rqspin("check", "--loaded", "--json", timeout=LIMIT)
        out = json.loads(res.stdout)
    validator("check.schema.json").validate(out)
    assert len(out["programs"]) >= nr
    assert [f["message"] for f in out["findings"] if f["severity"] != "note"] == []
