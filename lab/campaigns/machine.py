# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
"""The machine that a result is from, and whether two results are from the same."""

import datetime
import os
import pathlib
import platform
import subprocess

TOP = pathlib.Path(__file__).resolve().parents[2]
# A folder of results is of one machine: a mean over two machines describes neither.
# TYPES has the facts that the pages of a report show.
TYPES = {"cpu": str, "cpus": int, "kernel": str, "date": str, "commit": str}
IDENTITY = ("cpu", "cpus", "memory_mib", "kernel", "arch")


def _cpuinfo(name):
    for line in pathlib.Path("/proc/cpuinfo").read_text().splitlines():
        key, _, value = line.partition(":")
        if key.strip() == name:
            return value.strip()
    return "unknown"


def _read(path):
    try:
        return pathlib.Path(path).read_text().strip()
    except OSError:
        return "unknown"


def _commit():
    cmd = ["git", "-C", TOP, "describe", "--always", "--dirty"]
    out = subprocess.run(cmd, capture_output=True, text=True, check=False)
    return out.stdout.strip() or "unknown"


def nodes():
    """CPUs of each NUMA node, as the kernel lists them."""
    found = sorted(pathlib.Path("/sys/devices/system/node").glob("node[0-9]*/cpulist"))
    return [path.read_text().strip() for path in found]


def facts():
    memory = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES") >> 20
    governor = "/sys/devices/system/cpu/cpu0/cpufreq/scaling_governor"
    return {
        "cpu": _cpuinfo("model name"),
        "cpus": len(os.sched_getaffinity(0)),
        "mhz": _cpuinfo("cpu MHz"),
        "nodes": nodes(),
        "memory_mib": memory,
        "kernel": platform.release(),
        "arch": platform.machine(),
        "hypervisor": "hypervisor" in _cpuinfo("flags").split(),
        "governor": _read(governor),
        "commit": _commit(),
        "date": datetime.datetime.now(datetime.UTC).isoformat(timespec="seconds"),
    }


def same(one, other):
    return all(one.get(k) == other.get(k) for k in IDENTITY)
