# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
"""The comparison itself: every kind of difference must be seen, and nothing else."""

import subprocess
import sys
from pathlib import Path

import pytest

COMPARE = Path(__file__).with_name("compare.py")
BASE = """\
@@ begin test_progs a b c
#1/1     a/one: first:OK
#1/2     a/two:SKIP
#1       a:OK (SKIP: 1/2)
check:PASS:open 0 nsec
check:FAIL:err unexpected err: actual -16 != expected 0
#2/1     b/one:FAIL
#2       b:FAIL
#3       c:OK
@@ begin prog:test_verifier
#0/u alu OK
#0/p alu 2 cases OK
#1/p lock FAIL
Unexpected success to load!
@@ exit prog:test_verifier 1
@@ begin prog:test_lru_map
nr_cpus:4
test_lru_sanity0 (map_type:9 map_flags:0x0): Pass
@@ exit prog:test_lru_map 0
@@ end
@@ guest 0
"""
PLAN = "".join(f"9 {n}\n" for n in ("a", "b", "c", "prog:test_verifier", "prog:test_lru_map"))


def run(tmp_path, verb, *, base=BASE, patched=BASE, expected="", options=()):
    for name, text in {"base": base, "patched": patched, "plan": PLAN, "exp": expected}.items():
        (tmp_path / name).write_text(text)
    args = {
        "report": ["exp", "plan", "base", "patched"],
        "again": ["3", "plan", "base", "patched"],
        "pending": ["plan", "patched"],
    }[verb]
    command = [sys.executable, "-B", COMPARE, verb, *args, *options]
    return subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=False)


def test_same(tmp_path):
    out = run(tmp_path, "report")
    assert out.returncode == 0
    assert "# on both kernels: 4 FAIL, 7 OK, 1 SKIP" in out.stdout
    assert out.stdout.splitlines()[-1] == "3 passed, 0 failed, 0 skipped"


@pytest.mark.parametrize(
    ("old", "new", "what"),
    [
        ("first:OK", "first:FAIL", "a/one: first: base OK, patched FAIL"),
        ("a/two:SKIP", "a/two:OK", "a/two: base SKIP, patched OK"),
        ("actual -16", "actual -35", "b/one: base FAIL check:FAIL:err"),
        ("#3       c:OK\n", "@@ hung c\n", "c: base OK, patched HUNG"),
        ("#3       c:OK\n", "@@ died c -11\n", "c: base OK, patched DIED"),
        ("alu 2 cases OK", "alu FAIL", "prog:test_verifier/#0/p alu: base OK, patched FAIL"),
        ("#1/p lock FAIL", "#1/p lock OK", "#1/p lock: base FAIL, patched OK"),
        ("0x0): Pass", "0x0): ", "0x0): base OK, patched missing"),
        ("lru_map 0", "lru_map 1", "prog:test_lru_map: base OK, patched FAIL exit status 1"),
        ("@@ end", "@@ fault BUG: x\n@@ end", "complains"),
    ],
)
def test_difference(tmp_path, old, new, what):
    assert BASE.count(old) == 1
    out = run(tmp_path, "report", patched=BASE.replace(old, new))
    assert out.returncode == 1
    bad = [line for line in out.stdout.splitlines() if line.startswith("not ok")]
    assert len(bad) == 1
    assert what in bad[0]


def test_excerpt(tmp_path):
    out = run(tmp_path, "report", patched=BASE.replace("actual -16", "actual -35"))
    assert "#   patched | check:FAIL:err unexpected err: actual -35 != expected 0" in out.stdout


def test_expected(tmp_path):
    patched = BASE.replace("#3       c:OK", "#3       c:FAIL")
    assert run(tmp_path, "report", patched=patched, expected="c\tOK\tFAIL\twhy").returncode == 0
    assert run(tmp_path, "report", patched=patched, expected="c\tOK\tSKIP\twhy").returncode == 1
    out = run(tmp_path, "report", expected="c\tOK\tFAIL\twhy")
    assert "expected, but not seen here: c" in out.stdout


def test_too_few(tmp_path):
    assert run(tmp_path, "report", options=["--min", "100"]).returncode == 1


def test_guest_died(tmp_path):
    cut = BASE[: BASE.index("#2       b:FAIL")] + "@@ guest 125\n"
    out = run(tmp_path, "pending", patched=cut)
    assert out.stdout.split() == ["9", "c", "9", "prog:test_verifier", "9", "prog:test_lru_map"]
    out = run(tmp_path, "report", patched=cut + BASE[BASE.index("@@ begin prog:test_v") :])
    assert "b: base FAIL, patched GUEST DIED" in out.stdout
    assert "did not run: c" in out.stdout
    assert out.stdout.count("not ok") == 2


def test_never_started(tmp_path):
    assert run(tmp_path, "pending", patched="@@ guest 125\n").stdout == PLAN


def test_repeated(tmp_path):
    bad = BASE.replace("#3       c:OK", "#3       c:FAIL")
    assert run(tmp_path, "again", patched=bad).stdout == "9 c\n" * 3
    more = "@@ begin test_progs c\n#3       c:OK\n" * 3
    assert run(tmp_path, "report", base=BASE + more, patched=bad + more).returncode == 0
    flaky = more.replace("c:OK", "c:FAIL", 1)
    out = run(tmp_path, "report", base=BASE + more, patched=bad + flaky)
    assert "c: base OK, patched unstable" in out.stdout
