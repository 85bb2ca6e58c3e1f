# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
"""Runs TLC."""

import subprocess


def tlc_run(jar, place, module, limit, java=(), options=()):
    """What TLC prints about place/case.cfg, also in place/out; None: killed after `limit` seconds.
    TLC stays in the terminal's group of processes, so that Ctrl-C ends it too."""
    command = ["java", "-XX:+UseParallelGC", f"-Djava.io.tmpdir={place}", *java]
    command += ["-cp", str(jar), "tlc2.TLC", "-workers", "1", *options]
    command += ["-config", "case.cfg", module]
    with open(place / "out", "w") as out:
        try:
            subprocess.run(
                command, cwd=place, stdout=out, stderr=subprocess.STDOUT, timeout=limit, check=False
            )
        except subprocess.TimeoutExpired:
            return None
    return (place / "out").read_text()
