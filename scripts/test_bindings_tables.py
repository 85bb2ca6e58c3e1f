# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

TOP = Path(__file__).resolve().parent.parent
SCRIPT = "scripts/bindings-tables.py"
MADE = ["bindings/go/tables.go", "bindings/rust/src/tables.rs", "docs/bindings.md"]
FROM = ["include/rqspin/event.h", "user/errors/words.c"]
FROM += [f"user/errors/{t}.tsv" for t in ("errors", "advice", "retry")]


def run(top, *args):
    cmd = [sys.executable, top / SCRIPT, *args]
    return subprocess.run(cmd, capture_output=True, text=True, check=False)


@pytest.fixture
def top(tmp_path):
    for name in [SCRIPT, *MADE, *FROM]:
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(TOP / name, tmp_path / name)
    return tmp_path


def change(path, old, new):
    text = path.read_text()
    assert old in text
    path.write_text(text.replace(old, new))


def test_tables_are_those_of_the_tree():
    res = run(TOP, "--check")
    assert res.returncode == 0, res.stderr


@pytest.mark.parametrize(
    ("name", "old", "new", "stale"),
    [
        ("user/errors/retry.tsv", "EDEADLK\t5\t", "EDEADLK\t7\t", MADE),
        ("user/errors/errors.tsv", "map full (insert)", "map very full", MADE[:2]),
        ("user/errors/advice.tsv", "full\t-\tno", "full\t-\tlater", MADE[:2]),
        ("include/rqspin/event.h", "RING_LAYOUT  5", "RING_LAYOUT  6", MADE[:2]),
        ("include/rqspin/event.h", "\t__u32 group;\n", "\t__u32 group;\n\t__u64 new;\n", MADE[:2]),
    ],
)
def test_stale_tables_are_found_and_written(top, name, old, new, stale):
    change(top / name, old, new)
    res = run(top, "--check")
    said = [line.split(" is stale")[0] for line in res.stderr.splitlines()]
    assert (res.returncode, said) == (1, stale)
    assert run(top).returncode == 0 and run(top, "--check").returncode == 0


def test_an_error_without_a_retry_is_named(top):
    change(top / "user/errors/retry.tsv", "ENOMEM\t", "EIO\t")
    res = run(top, "--check")
    assert res.returncode == 1 and res.stderr.strip().endswith("EIO, ENOMEM")


def test_a_gap_in_a_record_is_an_error(top):
    change(top / "include/rqspin/event.h", "\t__u32 group;\n", "\t__u32 group, pad2;\n\t__u64 n;\n")
    assert run(top, "--check").returncode != 0
    shutil.copy(TOP / "include/rqspin/event.h", top / "include/rqspin/event.h")
    change(top / "include/rqspin/event.h", "\t__u32 group;\n", "\t__u32 group;\n\t__u32 odd;\n")
    res = run(top, "--check")
    assert res.returncode == 1 and "has a gap" in res.stderr
