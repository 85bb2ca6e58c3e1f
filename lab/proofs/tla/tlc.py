# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
"""Runs TLC."""

import signal
import subprocess


def tlc_run(jar, place, module, limit, java=(), options=()):
    """What TLC prints about place/case.cfg, also in place/out; None: killed, as it took `limit`
    seconds of CPU time. TLC stays in the terminal's group of processes, so that Ctrl-C ends it."""
    command = ["prlimit", f"--cpu={limit}", "java", "-XX:+UseParallelGC"]
    command += [f"-Djava.io.tmpdir={place}", *java, "-cp", str(jar), "tlc2.TLC"]
    command += ["-workers", "1", *options, "-config", "case.cfg", module]
    with open(place / "out", "w") as out:
        done = subprocess.run(command, cwd=place, stdout=out, stderr=subprocess.STDOUT, check=False)
    # The hard limit kills; the soft one is the same.
    killed = done.returncode in (-signal.SIGXCPU, -signal.SIGKILL)
    return None if killed else (place / "out").read_text()
