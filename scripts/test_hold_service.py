# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
"""setup.sh: the service of a package is masked while that is installed, and not for nothing."""

import pathlib
import subprocess

import pytest

TOP = pathlib.Path(__file__).resolve().parents[1]
SYSTEMCTL = """#!/bin/sh
echo "$*" >>{log}
[ "$1" != is-enabled ] || {{ echo {state}; [ {state} != not-found ]; }}
"""


def run(tmp_path, state, last):
    """What systemctl is asked for when an installation ends like that."""
    log, fake = tmp_path / "log", tmp_path / "systemctl"
    fake.write_text(SYSTEMCTL.format(log=log, state=state))
    fake.chmod(0o755)
    script = f"""
        set -euo pipefail
        PATH={tmp_path}:$PATH
        say() {{ :; }}
        as_root() {{ "$@"; }}
        . scripts/hold-service.sh
        trap release_service EXIT
        hold_service x.service
        {last}
        keep_service
    """
    # The background jobs of a script ignore SIGINT, and so would the shell.
    cmd = ["env", "--default-signal=INT", "bash", "-c", script]
    subprocess.run(cmd, cwd=TOP, check=False)
    lines = log.read_text().splitlines()
    return [line.replace("-q ", "") for line in lines if not line.startswith("is-enabled")]


@pytest.mark.parametrize("last", ["false", "exit 1", "kill -INT $$; sleep 1"])
def test_a_failed_installation(tmp_path, last):
    assert run(tmp_path, "not-found", last) == ["mask x.service", "unmask x.service"]


def test_an_installation(tmp_path):
    assert run(tmp_path, "not-found", ":") == ["mask x.service"]


@pytest.mark.parametrize("state", ["masked", "enabled", "disabled"])
def test_a_service_of_somebody(tmp_path, state):
    assert run(tmp_path, state, "false") == []
