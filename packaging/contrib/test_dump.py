# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
"""rqspin_locks.py on the memory of a guest in which a task has a lock and another one waits."""

import collections
import contextlib
import json
import os
import pathlib
import shlex
import shutil
import socket
import subprocess

import pytest

drgn = pytest.importorskip("drgn", reason="drgn is missing: run make setup")

import rqspin_locks  # noqa: E402
from drgn.helpers.linux.cpumask import for_each_possible_cpu  # noqa: E402
from drgn.helpers.linux.percpu import per_cpu  # noqa: E402

TOP = pathlib.Path(__file__).resolve().parents[2]
# The kernel of build/kernels whose vmlinux lies in this folder of build/kernel-obj.
KERNELS = {"6.12-rqspin": "lean", "7.x-stock": "7.x-lean", "7.x-fixes": "7.x-lean",
           "7.x-cycles": "7.x-lean"}  # fmt: skip


def vmlinux_find(kernel):
    vmlinux = TOP / "build/kernel-obj" / KERNELS[kernel] / "vmlinux"
    release = TOP / "build/kernels" / kernel / "RELEASE"
    if not vmlinux.exists() or not release.exists():
        pytest.skip(f"{kernel} or its vmlinux is missing: make kernel")
    name = release.read_text().strip()
    if f"Linux version {name} ".encode() not in vmlinux.read_bytes():
        pytest.skip(f"{vmlinux} is that of another series now: make kernel")
    return vmlinux, name


class Monitor:
    """QEMU's, which a wrapper of it in PATH opens."""

    def __init__(self, folder):
        self.path = folder / "monitor"
        wrapper = folder / "qemu-system-x86_64"
        real = shlex.quote(shutil.which("qemu-system-x86_64"))
        qmp = f"-qmp unix:{self.path},server=on,wait=off"
        wrapper.write_text(f'#!/bin/sh\nexec {real} "$@" {qmp}\n')
        wrapper.chmod(0o755)
        self.env = os.environ | {"PATH": f"{folder}:{os.environ['PATH']}", "RQSPIN_ACCEL": "tcg"}

    def open(self):
        self.socket = socket.socket(socket.AF_UNIX)
        self.socket.connect(str(self.path))
        self.file = self.socket.makefile("rw")
        self.file.readline()
        return self.run("qmp_capabilities")

    def run(self, command, **arguments):
        """False if the guest has ended."""
        try:
            self.file.write(json.dumps({"execute": command, "arguments": arguments}) + "\n")
            self.file.flush()
            for line in self.file:
                answer = json.loads(line)
                assert "error" not in answer, answer
                if "return" in answer:
                    return True
        except ConnectionError:
            pass
        return False

    def dump(self, path):
        return (
            self.run("stop")
            and self.run("dump-guest-memory", paging=False, protocol=f"file:{path}")
            and self.run("cont")
        )


@contextlib.contextmanager
def guest_with_waiter(kernel, monitor):
    """A guest whose sample `timeout` runs; yields the flags of its CPUs."""
    command = "grep -m1 ^flags /proc/cpuinfo && exec build/rqspin run timeout --duration 60"
    run = ["selftests/vm/run.sh", "--kernel", kernel, "--mem", "512M", "--", command]
    guest = subprocess.Popen(run, cwd=TOP, env=monitor.env, stdout=subprocess.PIPE, text=True)
    try:
        flags = next((line for line in guest.stdout if line.startswith("flags")), None)
        assert flags, f"the guest {kernel} has no CPUs: status {guest.wait()}"
        monitor.open()
        yield flags.split()
    finally:
        guest.terminate()
        guest.wait()


def vmcoreinfo_make(vmlinux, release, flags):
    """These kernels write none; what drgn needs of it, for a kernel that is where it was linked."""
    names = ("init_uts_ns", "init_top_pgt", "_stext")
    out = subprocess.run(["nm", vmlinux], stdout=subprocess.PIPE, text=True, check=True).stdout
    table = {f[2]: f[0] for f in map(str.split, out.splitlines()) if len(f) == 3 and f[2] in names}
    return (
        f"OSRELEASE={release}\nPAGESIZE=4096\nKERNELOFFSET=0\n"
        f"SYMBOL(init_uts_ns)={table['init_uts_ns']}\nSYMBOL(_stext)={table['_stext']}\n"
        f"SYMBOL(swapper_pg_dir)={table['init_top_pgt']}\nNUMBER(phys_base)=0\n"
        f"NUMBER(pgtable_l5_enabled)={int('la57' in flags)}\nNUMBER(KERNEL_IMAGE_SIZE)=536870912\n"
    )


def dump_read(path, vmlinux, info):
    prog = drgn.Program(vmcoreinfo=info.encode())
    prog.set_core_dump(path)
    prog.load_debug_info([vmlinux])
    found = rqspin_locks.locks_collect(prog)
    found_check(found, wanted_read(prog))
    return found


def records_wanted(prog, cpu):
    record = per_cpu(prog["res_cpu"], cpu)
    return [wait.lock.value_() for wait in record.wait if wait.seq.value_() & 1]


def wanted_read(prog):
    """Locks that somebody waits for: with a record of it, else those in the tables of two CPUs."""
    # Read without the script, whose answer is checked against it.
    cpus = list(for_each_possible_cpu(prog))
    if rqspin_locks.has_object(prog, "res_cpu"):
        return {lock for cpu in cpus for lock in records_wanted(prog, cpu)}
    tables = [per_cpu(prog["rqspinlock_held_locks"], cpu) for cpu in cpus]
    had = collections.Counter(lock for t in tables for lock in set(t.locks.value_()[: t.cnt]))
    return {lock for lock, count in had.items() if lock and count > 1}


def found_check(found, wanted):
    """Dumps in which nobody waits are passed over, but not those that the script misreads."""
    locks = {int(lock["address"], 16): lock for lock in found["locks"]}
    for address in wanted:
        assert address in locks, (hex(address), found)
        lock = locks[address]
        if (lock["map"] or {}).get("name") == ".data.slow":
            assert lock["waiters"], found
            assert lock["owner"] or not lock["word"]["locked"], found


def lock_find(found):
    """The lock of the sample, once its owner and its waiter are where they stay for a while."""
    for lock in found["locks"]:
        owner = lock["owner"]
        if owner and lock["waiters"] and "(hold_until_changed)" in str(owner["function"]):
            return lock
    return None


def lock_of_guest(kernel, folder):
    vmlinux, release = vmlinux_find(kernel)
    monitor, path, found = Monitor(folder), folder / "dump", None
    with guest_with_waiter(kernel, monitor) as flags:
        info = vmcoreinfo_make(vmlinux, release, flags)
        # The first rounds may not have begun, and between two of them nobody waits.
        while monitor.dump(path):
            found = dump_read(path, vmlinux, info)
            path.unlink()
            if lock := lock_find(found):
                return lock
    pytest.fail(f"nobody waited until the guest ended; at last: {found}")


@pytest.mark.parametrize("kernel", KERNELS)
def test_owner_and_waiter(kernel, tmp_path):
    lock = lock_of_guest(kernel, tmp_path)
    owner, (waiter,) = lock["owner"], lock["waiters"]
    assert lock["map"]["name"] == ".data.slow", lock
    assert owner["function"].endswith("timeout_owner (hold_until_changed)"), lock
    assert waiter["function"].endswith("timeout_waiter"), lock
    assert owner["comm"] == waiter["comm"] == "rqspin"
    assert owner["cpu"] != waiter["cpu"]
