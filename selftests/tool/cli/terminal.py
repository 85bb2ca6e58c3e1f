# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
"""A terminal for one command, and keys for it: output and messages come as a reader sees them."""

import contextlib
import fcntl
import os
import pty
import re
import select
import signal
import struct
import subprocess
import termios
import time

from conftest import LIMIT

SIZE = (24, 80)


class Terminal:
    def __init__(self, command, folder, env, limit=LIMIT, size=SIZE):
        self.command, self.seen = command, ""
        self.deadline = time.monotonic() + limit
        self.fd, theirs = pty.openpty()
        fcntl.ioctl(theirs, termios.TIOCSWINSZ, struct.pack("4H", *size, 0, 0))
        self.proc = subprocess.Popen(
            ["bash", "-c", command],
            cwd=folder,
            env={**env, "TERM": "xterm"},
            stdin=theirs,
            stdout=theirs,
            stderr=theirs,
            start_new_session=True,
            preexec_fn=lambda: fcntl.ioctl(0, termios.TIOCSCTTY, 0),
        )
        os.close(theirs)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        """Nothing of it goes on."""
        with contextlib.suppress(ProcessLookupError):
            os.killpg(self.proc.pid, signal.SIGKILL)
        self.proc.wait()
        os.close(self.fd)

    def read(self):
        """Some more of what it shows; False at its end."""
        left = self.deadline - time.monotonic()
        assert left > 0 and select.select([self.fd], [], [], left)[0], f"no end: {self}"
        try:
            more = os.read(self.fd, 65536)
        except OSError:
            return False
        self.seen += more.decode(errors="replace").replace("\r", "")
        return more != b""

    def until(self, what):
        while not re.search(what, self.seen, re.M):
            assert self.read(), f"ended without '{what}': {self}"

    def resize(self, *size):
        fcntl.ioctl(self.fd, termios.TIOCSWINSZ, struct.pack("4H", *size, 0, 0))

    def press(self, keys):
        os.write(self.fd, keys.encode())

    def end(self):
        """Its exit status."""
        while self.read():
            pass
        return self.proc.wait(timeout=max(1, self.deadline - time.monotonic()))

    def __str__(self):
        return f"{self.command}\n{self.seen}"
