# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
import subprocess
import sys
from pathlib import Path

import pytest

TALLY = Path(__file__).with_name("tally.py")


def tally(tmp_path, text, status):
    log = tmp_path / "log"
    log.write_text(text)
    out = subprocess.run(
        [sys.executable, TALLY, "s", str(status), log], capture_output=True, text=True, check=True
    )
    return [tuple(line.split("\t")) for line in out.stdout.splitlines()]


CASES = {
    "tap": (
        "1..3\nok 1 - a\nok 2 - b # SKIP no such thing\nok 3 - c\n2 passed, 0 failed, 1 skipped\n",
        0,
        [("pass", "a", ""), ("skip", "b", "no such thing"), ("pass", "c", "")],
    ),
    "failed": ("1..1\nnot ok 1 - a\n", 1, [("fail", "a", "")]),
    "failed but status 0": (
        "not ok 1 - a\n",
        0,
        [("fail", "a", ""), ("fail", "(suite)", "exit status 0 in spite of failed tests")],
    ),
    "passed but status 1": (
        "ok 1 - a\n",
        1,
        [("pass", "a", ""), ("fail", "(suite)", "exit status 1 without a failed test")],
    ),
    "stopped early": (
        "1..2\nok 1 - a\n",
        0,
        [("pass", "a", ""), ("fail", "(suite)", "1 results of 2 planned")],
    ),
    "pytest says why at the end": (
        "t.py::test_a FAILED [ 50%]\nt.py::test_b PASSED [100%]\n"
        "FAILED t.py::test_a - assert 1061 == 997\n",
        1,
        [("fail", "t.py::test_a", "assert 1061 == 997"), ("pass", "t.py::test_b", "")],
    ),
    "silent": ("hello\n", 0, [("fail", "(suite)", "no results (exit status 0)")]),
    "whole suite skipped": ("1..0 # SKIP no network\n", 0, [("skip", "whole suite", "no network")]),
    "whole suite skipped, with a closing line": (
        "1..0 # SKIP no root\n0 passed, 0 failed, 1 skipped\n",
        0,
        [("skip", "whole suite", "no root")],
    ),
    "whole suite skipped, with a closing line that lies": (
        "1..0 # SKIP no root\n1 passed, 0 failed, 0 skipped\n",
        0,
        [
            ("skip", "whole suite", "no root"),
            ("fail", "(suite)", "closing line says 1/0/0"),
        ],
    ),
    "closing line lies": (
        "ok 1 - a\n2 passed, 0 failed, 0 skipped\n",
        0,
        [("pass", "a", ""), ("fail", "(suite)", "closing line says 2/0/0")],
    ),
    "several plans": (
        "1..1\nok 1 - a\n1..1\nok 1 - b\n",
        0,
        [("pass", "a", ""), ("pass", "b", "")],
    ),
    "several programs, each with a closing line": (
        "ok 1 - a\n1 passed, 0 failed, 0 skipped\nok 1 - b\n1 passed, 0 failed, 0 skipped\n",
        0,
        [("pass", "a", ""), ("pass", "b", "")],
    ),
    "the closing line of a first program lies": (
        "ok 1 - a\n2 passed, 0 failed, 0 skipped\nt.py::b PASSED\n",
        0,
        [
            ("pass", "a", ""),
            ("pass", "t.py::b", ""),
            ("fail", "(suite)", "closing line says 2/0/0"),
        ],
    ),
    "pytest": (
        "t.py::a PASSED [ 50%]\nt.py::b[x y] SKIPPED (why (not)) [100%]\nt.py::c FAILED   [100%]\n",
        1,
        [("pass", "t.py::a", ""), ("skip", "t.py::b[x y]", "why (not)"), ("fail", "t.py::c", "")],
    ),
}


@pytest.mark.parametrize("case", CASES)
def test_tally(tmp_path, case):
    text, status, want = CASES[case]
    got = [(r[0], r[2], r[3] if len(r) > 3 else "") for r in tally(tmp_path, text, status)]
    assert got == want


@pytest.mark.parametrize("args", [["--guest"], ["--cpu"], ["--results", ""], ["--frob"]], ids=str)
def test_runner_says_what_it_takes(args):
    res = subprocess.run([TALLY.with_name("run-tests.sh"), *args], capture_output=True, text=True)
    assert res.returncode == 2 and "usage: run-tests.sh" in res.stderr
