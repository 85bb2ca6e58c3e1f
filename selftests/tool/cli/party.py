# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
"""A process with a name and a CPU that runs BPF programs when it is told to.

party.py NAME CPU. Each line on standard input is the path of a pinned program; the answer is a line
with what the program returned.
"""

import ctypes
import os
import pathlib
import platform
import sys

SYS_BPF = {"x86_64": 321}.get(platform.machine(), 280)
BPF_OBJ_GET, BPF_PROG_TEST_RUN = 7, 10


class TestRun(ctypes.Structure):
    _fields_ = [
        ("prog_fd", ctypes.c_uint32),
        ("retval", ctypes.c_uint32),
        ("data_size_in", ctypes.c_uint32),
        ("data_size_out", ctypes.c_uint32),
        ("data_in", ctypes.c_uint64),
        ("data_out", ctypes.c_uint64),
        ("repeat", ctypes.c_uint32),
        ("duration", ctypes.c_uint32),
    ]


def bpf(cmd, attr, size):
    res = ctypes.CDLL(None, use_errno=True).syscall(SYS_BPF, cmd, attr, size)
    if res < 0:
        raise OSError(ctypes.get_errno(), f"bpf({cmd})")
    return res


def run(path):
    name = ctypes.create_string_buffer(os.fsencode(path))
    get = (ctypes.c_uint64 * 2)(ctypes.addressof(name), 0)
    fd = bpf(BPF_OBJ_GET, get, ctypes.sizeof(get))
    packet = ctypes.create_string_buffer(64)
    attr = TestRun(prog_fd=fd, data_size_in=64, data_in=ctypes.addressof(packet), repeat=1)
    bpf(BPF_PROG_TEST_RUN, ctypes.byref(attr), ctypes.sizeof(attr))
    os.close(fd)
    return ctypes.c_int32(attr.retval).value


def main():
    pathlib.Path("/proc/self/comm").write_text(sys.argv[1])
    os.sched_setaffinity(0, [int(sys.argv[2])])
    for line in sys.stdin:
        print(run(line.rstrip("\n")), flush=True)


if __name__ == "__main__":
    main()
