# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
"""What run.sh makes of a guest that hangs, talks, ends or is missing. Scripts stand for guests."""

import pathlib
import subprocess

import pytest

RUN = pathlib.Path(__file__).with_name("run.sh")
HANGS = "ok 1 - interrupted head: this kernel hangs"
DEAD = f"{HANGS}, and the guest with it"


@pytest.fixture
def run(tmp_path):
    """run.sh beside a guest of these lines; it is silent for three seconds at most."""

    def run(guest, boot="boot_s=600"):
        script = RUN.read_text().replace("silence_s=60", "silence_s=3").replace("boot_s=600", boot)
        for path, text in (
            ("selftests/kernel/head/run.sh", script),
            ("selftests/vm/run.sh", f"#!/bin/bash\n{guest}\n"),
        ):
            (tmp_path / path).parent.mkdir(parents=True, exist_ok=True)
            (tmp_path / path).write_text(text)
            (tmp_path / path).chmod(0o755)
        res = subprocess.run([tmp_path / "selftests/kernel/head/run.sh", "some-kernel"],
                             stdout=subprocess.PIPE, text=True, check=False)  # fmt: skip
        return res.returncode, res.stdout.splitlines()

    return run


def test_the_guest_says_that_it_hangs(run):
    status, out = run(f"echo '# round 1'; echo '{HANGS}'; exec sleep 60")
    assert (status, out[1:]) == (0, [HANGS])


def test_what_was_said_counts_whatever_becomes_of_the_guest(run):
    status, out = run(f"echo '# round 1'; echo '{HANGS}'; exit 124")
    assert (status, out[1:]) == (0, [HANGS])


def test_silence_before_a_round_is_no_hang(run):
    status, out = run("sleep 5; exit 124", boot="boot_s=1")
    assert (status, out[-1]) == (1, "0 passed, 1 failed, 0 skipped")


def test_the_guest_is_dead_after_the_beginning_of_a_round(run):
    status, out = run("echo '# round 1'; exec sleep 60")
    assert (status, out[1:]) == (0, [DEAD, "1 passed, 0 failed, 0 skipped"])


def test_a_guest_that_ends_in_a_round_is_a_failure(run):
    status, out = run("echo '# round 1'; exit 124")
    assert (status, out[1:]) == (
        1,
        ["not ok 1 - interrupted head: the guest ended with 124", "0 passed, 1 failed, 0 skipped"],
    )


def test_no_kernel_is_a_skip(run):
    status, out = run("exit 3")
    assert status == 0 and out[-1] == "0 passed, 0 failed, 1 skipped"


@pytest.mark.parametrize("status", [0, 1, 2])
def test_what_head_says_counts(run, status):
    assert run(f"echo 'not ok 1'; exit {status}") == (status, ["not ok 1"])
