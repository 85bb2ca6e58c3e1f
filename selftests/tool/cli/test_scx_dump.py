# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
"""The dump of a sched_ext scheduler has the locks that are held: the sample sched_ext."""

import contextlib
import json
import os
import pathlib
import re
import signal
import subprocess
import time

import bpfobj
import pytest
from conftest import (
    BPFTOOL,
    BUILD,
    LIMIT,
    RQSPIN,
    needs_two_cpus,
    rqspin,
    skip_without_held_table,
)

SCHEDULER = BUILD / "bpf/progs/sched_ext.bpf.o"
HOLDER = BUILD / "selftests/kernel/progs/timeout.bpf.o"
TRACING = pathlib.Path("/sys/kernel/tracing")
EVENT = TRACING / "events/sched_ext/sched_ext_dump/enable"
NOTHING = "no CPU holds a resilient lock, or waits for one"
UNKNOWN = "this kernel does not tell which resilient locks are held"
HELD = re.compile(r"cpu (\d+) holds (or waits for )?lock (0x[0-9a-f]+)$")

HAS_SCHED_EXT = pathlib.Path("/sys/kernel/sched_ext").is_dir()
NOWHERE = """
#include "vmlinux.h"
#include <bpf/bpf_helpers.h>
#include <rqspin/res_dump.bpf.h>

SEC("syscall") int dump_all(void *ctx)
{
	return res_dump_held();
}

char LICENSE[] SEC("license") = "Dual BSD/GPL";
"""

pytestmark = pytest.mark.usefixtures("nothing_left")


@pytest.fixture
def scheduler():
    """The sample is the scheduler, and what a dump has is traced."""
    if not HAS_SCHED_EXT:
        pytest.skip("this kernel has no sched_ext (CONFIG_SCHED_CLASS_EXT)")
    pin = pathlib.Path(f"/sys/fs/bpf/scx_dump_{os.getpid()}")
    cmd = [BPFTOOL, "struct_ops", "register", SCHEDULER, pin]
    pin.mkdir()
    try:
        subprocess.run(cmd, check=True, capture_output=True, timeout=LIMIT)
        EVENT.write_text("1")
        yield
    finally:
        for link in pin.iterdir():
            link.unlink()
        pin.rmdir()
        EVENT.write_text("0")


def dump():
    """The lines of one dump, by SysRq-D."""
    (TRACING / "trace").write_text("")
    pathlib.Path("/proc/sysrq-trigger").write_text("D")
    lines = (TRACING / "trace").read_text().splitlines()
    return [line.split("sched_ext_dump: ", 1)[1] for line in lines if "sched_ext_dump: " in line]


def has_symbols():
    """Without them the program cannot find the table."""
    symbols = pathlib.Path("/proc/kallsyms").read_text().splitlines()
    return {"rqspinlock_held_locks", "__per_cpu_offset"} <= {s.split()[2] for s in symbols}


@contextlib.contextmanager
def owner_on_cpu_1():
    cmd = [RQSPIN, "run", HOLDER, "--roles", "hold", "--cpus", "1", "--duration", "60"]
    proc = subprocess.Popen(cmd, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    try:
        yield proc
    finally:
        proc.send_signal(signal.SIGINT)
        proc.communicate(timeout=LIMIT)


def held_on_cpu_1():
    cpus = json.loads(rqspin("held", "--json").stdout)["cpus"]
    return {e["lock"]["addr"] for c in cpus if c["cpu"] == 1 for e in c["locks"]}


def dumped_on_cpu_1():
    found = [HELD.search(line) for line in dump()]
    return {m[3] for m in found if m and m[1] == "1"}


@pytest.mark.skipif(HAS_SCHED_EXT, reason="where there is a dump, only a scheduler may write it")
def test_it_loads_where_there_is_no_dump(tmp_path):
    """And says that nothing is known."""
    obj = bpfobj.compile_bpf(tmp_path / "nowhere.bpf.c", NOWHERE)
    with bpfobj.pinned(obj) as where:
        assert bpfobj.run_syscall(where / "dump_all") == -1


def test_every_dump_says_something(scheduler):
    said = [line for line in dump() if NOTHING in line or UNKNOWN in line or HELD.search(line)]
    assert said
    assert any(UNKNOWN in line for line in said) == (not has_symbols()), said


@needs_two_cpus
def test_the_dump_has_what_held_shows(scheduler):
    """One round of the owner may end within a look, and in a dump the CPU may have another lock."""
    skip_without_held_table()
    if not has_symbols():
        pytest.skip("/proc/kallsyms has no variables (CONFIG_KALLSYMS_ALL)")
    dumped, held = set(), set()
    deadline = time.monotonic() + LIMIT
    with owner_on_cpu_1() as owner:
        while not dumped & held:
            assert owner.poll() is None and time.monotonic() < deadline, (dumped, held)
            dumped |= dumped_on_cpu_1()
            held |= held_on_cpu_1()
