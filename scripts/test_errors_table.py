# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
import shutil
import subprocess
import sys
from pathlib import Path

TOP = Path(__file__).resolve().parent.parent
FILES = ["scripts/errors-table.py", "docs/map-errors.md", "user/errors/errors.tsv"]
FILES += ["user/errors/advice.tsv"]


def run(top, *args):
    cmd = [sys.executable, top / FILES[0], *args]
    return subprocess.run(cmd, capture_output=True, text=True, check=False)


def copy(folder):
    for name in FILES:
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(TOP / name, folder / name)
    return folder


def test_page_is_made_from_the_table():
    res = run(TOP, "--check")
    assert res.returncode == 0, res.stderr


def test_stale_page_is_found_and_written(tmp_path):
    top = copy(tmp_path)
    for name, old, new in (
        ("errors.tsv", "map full (insert)", "map very full"),
        ("advice.tsv", "Raise `max_entries`", "Lower `max_entries`"),
    ):
        table = top / "user/errors" / name
        assert old in table.read_text()
        table.write_text(table.read_text().replace(old, new))
        res = run(top, "--check")
        assert res.returncode == 1 and "run scripts/errors-table.py" in res.stderr
        assert run(top).returncode == 0 and run(top, "--check").returncode == 0
        assert new in (top / FILES[1]).read_text()


def test_prose_is_left_alone(tmp_path):
    top = copy(tmp_path)
    page = top / FILES[1]
    before = page.read_text()
    page.write_text(before.replace("| full |", "| empty |"))
    assert run(top).returncode == 0 and page.read_text() == before
