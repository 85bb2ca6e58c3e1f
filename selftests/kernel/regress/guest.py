#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
"""Inside the guest, in the folder of the binaries: run tests of a plan until the time is over.

usage: guest.py SIDE BUDGET PLAN     a line of PLAN: SECONDS NAME, the test's limit and what it is:
                                     a test of test_progs, or prog:BINARY

A test that hangs or kills test_progs does not take those behind it along: another test_progs goes
on after it. Lines that start with @@ are this program's; compare.py reads them.
"""

import contextlib
import os
import pty
import re
import select
import shutil
import signal
import subprocess
import sys
import time
from pathlib import Path

TOP_LEVEL = re.compile(r"^#\d+ +([^/:\s]+):(?:OK|FAIL|SKIP)")
PLACE = Path("/dev/shm/regress")
SYSCTL = {"kernel/unprivileged_bpf_disabled": "0", "kernel/kptr_restrict": "0"}


def say(text):
    print(f"@@ {text}", flush=True)


def needed(f):
    program = not f.suffix and os.access(f, os.X_OK)
    return f.is_file() and (program or f.suffix == ".so" or f.name.endswith(".bpf.o"))


def prepare(side):
    """What the tests expect of a machine, and the modules of this kernel beside the programs.

    In a file system in memory: on the guest's layered one, paths in the kernel are others than
    those in /proc, which some tests compare.
    """
    for name, value in SYSCTL.items():
        Path("/proc/sys", name).write_text(value)
    subprocess.run(["ip", "link", "set", "lo", "up"], check=True)
    PLACE.mkdir()
    for f in [*filter(needed, Path().iterdir()), *Path(f"modules-{side}").glob("*.ko")]:
        shutil.copy(f, PLACE)
    os.chdir(PLACE)


class Run:
    """A process on a terminal of its own, so that its lines come when they are written."""

    def __init__(self, command):
        self.master, slave = pty.openpty()
        self.child = subprocess.Popen(
            command, stdin=subprocess.DEVNULL, stdout=slave, stderr=slave, start_new_session=True
        )
        os.close(slave)
        self.rest = b""

    def read(self, seconds):
        """The next lines, [] at the end, None after silence."""
        if not select.select([self.master], [], [], seconds)[0]:
            return None
        try:
            data = os.read(self.master, 65536)
        except OSError:
            return []
        *lines, self.rest = (self.rest + data).split(b"\n")
        return [line.decode(errors="replace").rstrip("\r") for line in lines] or [""]

    def close(self):
        with contextlib.suppress(ProcessLookupError):
            os.killpg(self.child.pid, signal.SIGKILL)
        os.close(self.master)
        return self.child.wait()


def follow(command, limit, enough=lambda line: False):
    """Print what the command says, until it ends or has said enough.

    Its exit status, or None if it fell silent: a daemon may keep the terminal open after the end.
    """
    run = Run(command)
    while lines := run.read(limit):
        for line in filter(None, lines):
            print(line, flush=True)
            if enough(line):
                run.close()
                return 0
    hung = lines is None and run.child.poll() is None
    rc = run.close()
    return None if hung else rc


def in_order(names):
    """As test_progs will run them."""
    out = subprocess.run(
        ["./test_progs", "-l", "-a", ",".join(names)], capture_output=True, text=True, check=True
    )
    found = [line.split()[-1] for line in out.stdout.splitlines() if line.strip()]
    return [n for n in found if n in names]


class Session:
    def __init__(self, budget):
        self.end = time.monotonic() + budget

    def over(self):
        return time.monotonic() > self.end

    def tests(self, names, limit):
        """Run tests of test_progs, in as many processes as it takes."""
        todo = in_order(names)
        while todo and not self.over():
            say(f"begin test_progs {' '.join(todo)}")
            left = list(todo)

            def enough(line, left=left):
                if (m := TOP_LEVEL.match(line)) and m[1] in left:
                    left.remove(m[1])
                    return self.over()
                return False

            rc = follow(["./test_progs", "-a", ",".join(todo)], limit, enough)
            if not left or self.over():
                return
            say(f"hung {left[0]}" if rc is None else f"died {left[0]} {rc}")
            todo = left[1:]

    def binary(self, name, limit):
        say(f"begin {name}")
        rc = follow([f"./{name.removeprefix('prog:')}"], limit)
        say(f"hung {name}" if rc is None else f"exit {name} {rc}")

    def run(self, plan):
        while plan and not self.over():
            limit, first = plan[0]
            batch = [first]
            if first.startswith("prog:"):
                self.binary(first, limit)
            else:
                for _, name in plan[1:]:
                    if name in batch or name.startswith("prog:"):
                        break
                    batch.append(name)
                self.tests(batch, max(s for s, _ in plan[: len(batch)]))
            plan = plan[len(batch) :]


def main():
    side, budget, path = sys.argv[1:]
    lines = [line.split() for line in Path(path).read_text().splitlines()]
    prepare(side)
    Session(float(budget)).run([(int(seconds), name) for seconds, name in lines])
    say("end")


if __name__ == "__main__":
    main()
