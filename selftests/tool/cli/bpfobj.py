# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
"""BPF objects of the tests: compiled, pinned, run and looked at by clang, bpftool and bpf(2)."""

import contextlib
import ctypes
import itertools
import os
import pathlib
import platform
import shutil
import struct
import subprocess

from conftest import BPFTOOL, BUILD, LIMIT, TOP, find_clang

CLANG = os.environ.get("CLANG") or find_clang() or "clang"
FLAGS = ["-g", "-O2", "-target", "bpf", "-mcpu=v3"]
INCLUDES = ["-I", TOP / "include", "-I", BUILD, "-I", TOP / "bpf"]
SYS_BPF = {"x86_64": 321}.get(platform.machine(), 280)
MAP_CREATE, OBJ_GET, TEST_RUN, STREAM_READ = 0, 7, 10, 37
STDERR = 2
SERIAL = itertools.count()
LIBC = ctypes.CDLL(None, use_errno=True)


def compile_bpf(source, text=None, flags=FLAGS):
    """The object beside the source, which gets that text first."""
    if text is not None:
        source.write_text(text)
    obj = source.with_suffix(".o")
    cmd = [CLANG, *flags, *INCLUDES, "-c", source, "-o", obj]
    subprocess.run(cmd, check=True, timeout=LIMIT)
    return obj


@contextlib.contextmanager
def pinned(obj, maps=False, attach=False):
    """The folder in which all programs of the object are pinned, and perhaps maps/ in it.

    attach: programs that can be attached without further arguments are, and pinned is the link.
    """
    where = pathlib.Path(f"/sys/fs/bpf/rqspin_test_{os.getpid()}_{next(SERIAL)}")
    load = [BPFTOOL, "prog", "loadall", obj, where]
    if maps:
        load += ["pinmaps", where / "maps"]
    if attach:
        load.append("autoattach")
    subprocess.run(load, check=True, capture_output=True, timeout=LIMIT)
    try:
        yield where
    finally:
        shutil.rmtree(where)


def run_pinned(prog, count, on=()):
    """So many runs of a pinned program, one after the other."""
    cmd = [*on, BPFTOOL, "prog", "run", "pinned", prog, "data_in", "-", "repeat", str(count)]
    subprocess.run(cmd, check=True, input=bytes(64), capture_output=True, timeout=LIMIT)


def bpf(command, attr):
    """bpf(2) with what is packed in attr."""
    res = LIBC.syscall(SYS_BPF, command, attr, len(attr))
    if res < 0:
        raise OSError(ctypes.get_errno(), os.strerror(ctypes.get_errno()))
    return res


@contextlib.contextmanager
def opened(pin):
    """A descriptor of what is pinned there."""
    path = ctypes.create_string_buffer(os.fsencode(pin))
    fd = bpf(OBJ_GET, struct.pack("QQ", ctypes.addressof(path), 0))
    try:
        yield fd
    finally:
        os.close(fd)


def run_syscall(pin):
    """One run of a pinned program of type syscall, which bpftool cannot run. What it returned."""
    with opened(pin) as fd:
        attr = ctypes.create_string_buffer(struct.pack("I", fd), 64)
        bpf(TEST_RUN, attr)
    return struct.unpack_from("Ii", attr)[1]


def fdinfo(pin):
    """What the kernel says of a pinned program, map or link."""
    with opened(pin) as fd:
        return pathlib.Path(f"/proc/self/fdinfo/{fd}").read_text()


def read_stream(pin):
    """Takes the text of a pinned program's error stream, as any reader does."""
    text = ctypes.create_string_buffer(1 << 17)
    with opened(pin) as fd:
        attr = struct.pack("QIII", ctypes.addressof(text), len(text), STDERR, fd)
        size = bpf(STREAM_READ, attr.ljust(24, b"\0"))
    return text.raw[:size]
