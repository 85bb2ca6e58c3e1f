# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
import os
import shutil
import subprocess
from pathlib import Path

import pytest

TOP = Path(__file__).resolve().parent.parent
FOLDER_MK = TOP / "user/replay/folder.mk.in"


def tools(folder, **versions):
    """A folder in PATH with what the scripts call, and these tools."""
    for tool in ("bash", "env", "head", "sed", "sh", "sort", "uname"):
        (folder / tool).symlink_to(shutil.which(tool))
    for name, version in versions.items():
        tool = folder / name.replace("_", "-")
        tool.write_text(f'#!/bin/sh\necho "Debian clang version {version}.0.1"\n')
        tool.chmod(0o755)
    return folder


def find(folder, *args):
    env = {"PATH": str(folder)}
    cmd = ["/bin/bash", TOP / "scripts/find-clang.sh", *args]
    res = subprocess.run(cmd, env=env, capture_output=True, text=True, check=False)
    return res.returncode, res.stdout.strip()


@pytest.mark.parametrize(
    ("there", "args", "found"),
    [
        ({"clang_23": 23}, [], "clang-23"),
        ({"clang_23": 23, "clang_19": 19, "clang_14": 14}, [], "clang-19"),
        ({"clang_18": 18, "clang": 14}, [], ""),
        ({"clang_18": 18, "clang": 14}, ["clang", "18"], "clang-18"),
        ({"clang": 24}, [], "clang"),
        ({"clang_format_23": 23, "clang_23": 23}, ["clang-format"], "clang-format-23"),
        ({"clang_format_diff_23": 23}, ["clang-format"], ""),
        ({}, [], ""),
    ],
)
def test_any_new_enough_one_is_found(tmp_path, there, args, found):
    folder = tools(tmp_path, **there)
    assert find(folder, *args) == (0 if found else 1, found)


@pytest.mark.parametrize(
    ("there", "found"),
    [
        ({"clang_23": 23}, "clang-23"),
        ({"clang_17": 17, "clang_19": 19, "clang_23": 23}, "clang-19"),
        ({"clang_17": 17}, ""),
    ],
)
def test_replays_find_the_same(tmp_path, there, found):
    folder = tools(tmp_path, **there)
    mk = tmp_path / "show.mk"
    mk.write_text(FOLDER_MK.read_text() + "\n$(info $(CLANG))\nshow: ;\n")
    env = {k: v for k, v in os.environ.items() if k != "CLANG"} | {"PATH": str(folder)}
    cmd = [shutil.which("make"), "-s", "-f", mk, "show"]
    res = subprocess.run(cmd, env=env, capture_output=True, text=True, check=True)
    assert Path(res.stdout.strip()).name == found
