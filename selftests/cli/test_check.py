# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
"""rqspin check: what it finds in the samples, and how it says it."""

import json
import re

import pytest
from conftest import BUILD, TOP, needs_locks, rqspin, validator

FOUND, CLEAN, UNSUPPORTED = 10, 0, 3
PROGS = BUILD / "bpf/progs"
SAMPLES = sorted(p.name.removesuffix(".bpf.c") for p in (TOP / "bpf/progs").glob("*.bpf.c"))

# What is wrong with a sample; all others are right.
WRONG = {
    "aa": {"aa"},
    "abba": {"cycle"},
    "abbcca": {"cycle"},
    "fallback": {"aa"},
    "held_max": {"aa"},
    "out_of_order": {"cycle"},
    "out_of_order_fail": {"refused"},
}
# What cannot be decided: each takes the forks in the order of an index.
UNDECIDED = {"dining"}

pytestmark = [needs_locks, pytest.mark.usefixtures("nothing_left")]


def check(*objects, code=None):
    res = rqspin("check", "--json", *objects)
    out = json.loads(res.stdout)
    validator("check.schema.json").validate(out)
    if code is not None:
        assert res.returncode == code, res.stdout + res.stderr
    loud = [f for f in out["findings"] if f["severity"] != "note"]
    assert res.returncode == (FOUND if loud else CLEAN)
    return out


def kinds(out, *severities):
    return {f["kind"] for f in out["findings"] if f["severity"] in severities}


@pytest.mark.parametrize("sample", SAMPLES)
def test_samples(sample):
    obj = PROGS / f"{sample}.bpf.o"
    if rqspin("check", obj).returncode == UNSUPPORTED:
        pytest.skip("the kernel lacks a type that the sample names")
    out = check(obj)
    assert kinds(out, "error", "warning") == WRONG.get(sample, set())
    assert ("undecided" in kinds(out, "note")) == (sample in UNDECIDED)
    # What is left out here for want of trampolines is said.
    assert kinds(out, "note") <= {"undecided", "not-loaded"}


def test_cycle_has_lines_of_each_edge():
    out = check(PROGS / "abbcca.bpf.o", code=FOUND)
    (cycle,) = out["findings"]
    lines = (TOP / "bpf/progs/abbcca.bpf.c").read_text().splitlines()
    assert len(cycle["stages"]) == 6
    for stage in cycle["stages"]:
        assert stage["file"].endswith("abbcca.bpf.c")
        assert "CYCLE_PARTY" in lines[stage["line"] - 1]
    holds = [re.search(r"takes (lock_\w) here", s["message"])[1] for s in cycle["stages"][::2]]
    assert sorted(holds) == ["lock_a", "lock_b", "lock_c"]


def test_text_is_what_compilers_print():
    res = rqspin("check", PROGS / "aa.bpf.o", cwd=TOP)
    assert res.returncode == FOUND
    assert re.match(
        r"\S*aa\.bpf\.c:\d+: warning: aa takes slots\[0\]\.lock,.* \[aa\]\n", res.stdout
    )
    assert re.search(r"aa\.bpf\.c:\d+: note: +it was taken here", res.stdout)
    assert "1 program, 2 acquisitions, 1 finding, 0 notes" in res.stderr


def test_refusal_has_line_and_fix():
    (refused,) = check(PROGS / "out_of_order_fail.bpf.o", code=FOUND)["findings"]
    assert refused["severity"] == "error"
    assert "bpf_res_spin_unlock cannot be out of order" in refused["message"]
    assert "reverse order" in refused["fix"]
    assert refused["file"].endswith("out_of_order_fail.bpf.c") and refused["line"]


def test_objects_that_share_no_map_share_no_lock():
    out = check(PROGS / "nested.bpf.o", PROGS / "rank.bpf.o", code=CLEAN)
    assert {p["object"] for p in out["programs"]} == {
        str(PROGS / "nested.bpf.o"),
        str(PROGS / "rank.bpf.o"),
    }


@pytest.mark.parametrize(
    "args, code, says",
    [
        ([], 2, "which object"),
        (["/nonexistent.bpf.o"], 1, "/nonexistent.bpf.o: No such file"),
        (["/etc/os-release"], 1, "/etc/os-release: not a BPF object"),
    ],
)
def test_bad_input(args, code, says):
    res = rqspin("check", *args)
    assert (res.returncode, res.stdout) == (code, "")
    assert says in res.stderr
