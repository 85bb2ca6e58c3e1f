# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
"""Did a cell have the machine for itself? Shares of the time of all CPUs that other processes used,
and that the hypervisor stole; and the frequency that its CPUs had, where the kernel tells it."""

import os
import pathlib
import re
import resource
import statistics
import threading
import time

#: More than this, and the cell is measured again; if it stays so, tables and charts mark it.
MOST_OTHERS, MOST_STEAL = 0.10, 0.02
#: Ticks of 10 ms are too coarse for a shorter cell.
SHORTEST_S = 0.2
TICK = os.sysconf("SC_CLK_TCK")
#: A cell with less than this part of the usual frequency of its campaign is marked. More threads
#: alone make a CPU slower, but not so much.
LEAST_MHZ = 0.8
LOOK_EVERY_S = 0.25
CPUS = pathlib.Path("/sys/devices/system/cpu")
CPUINFO = pathlib.Path("/proc/cpuinfo")


def _stat():
    """Seconds that all CPUs were busy, and that were stolen from them."""
    with pathlib.Path("/proc/stat").open() as f:
        user, nice, system, _, _, irq, softirq, steal = map(int, f.readline().split()[1:9])
    return (user + nice + system + irq + softirq) / TICK, steal / TICK


def _own():
    """CPU time of the cells so far, of all processes that they started and waited for, and ours."""
    usages = map(resource.getrusage, (resource.RUSAGE_CHILDREN, resource.RUSAGE_SELF))
    return sum(usage.ru_utime + usage.ru_stime for usage in usages)


def _khz(path):
    try:
        return int(path.read_text())
    except (OSError, ValueError):  # the CPU is off, or its driver does not know
        return 0


def frequency():
    """MHz of the fastest CPU, because others may be idle; None if the kernel does not tell."""
    found = [_khz(path) / 1000 for path in CPUS.glob("cpu[0-9]*/cpufreq/scaling_cur_freq")]
    if not any(found):
        found = map(
            float, re.findall(r"^cpu MHz\s*: ([0-9.]+)$", CPUINFO.read_text(), re.MULTILINE)
        )
    return max(found, default=None)


class Watch:
    """Watches the machine from its creation to facts(), and within "with" its frequency."""

    def __init__(self):
        self.load, self.begin = os.getloadavg()[0], time.monotonic()
        (self.busy, self.steal), self.own = _stat(), _own()
        self.frequencies, self.over = [], threading.Event()
        self.thread = threading.Thread(target=self._look, daemon=True)

    def __enter__(self):
        self.thread.start()
        return self

    def __exit__(self, *_):
        self.over.set()
        self.thread.join()

    def _look(self):
        while not self.over.wait(LOOK_EVERY_S):
            self.frequencies.append(frequency())

    def _mhz(self):
        """The median; of a cell that was too short for a look the frequency at its end."""
        known = [mhz for mhz in self.frequencies or [frequency()] if mhz]
        return {"mhz": statistics.median(known)} if known else {}

    def facts(self):
        seconds = time.monotonic() - self.begin
        busy, steal = _stat()
        all_cpus = seconds * os.cpu_count()
        others = busy - self.busy - (_own() - self.own)
        return {
            "load": self.load,
            "seconds": seconds,
            "others": max(others, 0.0) / all_cpus,
            "steal": (steal - self.steal) / all_cpus,
            **self._mhz(),
        }


def disturbed(facts):
    """Also false for older results, which have no such shares."""
    if facts["seconds"] < SHORTEST_S:
        return False
    return facts.get("others", 0) > MOST_OTHERS or facts.get("steal", 0) > MOST_STEAL


def usual_mhz(cells):
    """The median of a campaign's cells; None if no cell has any."""
    known = [facts["mhz"] for facts in cells if "mhz" in facts]
    return statistics.median(known) if known else None


def slowed(facts, usual):
    """Had the cell far less than the usual frequency? False for cells that have none."""
    return "mhz" in facts and facts["mhz"] < LEAST_MHZ * usual


def disturbance(facts):
    """A figure to choose the quietest of several tries by."""
    return facts["others"] / MOST_OTHERS + facts["steal"] / MOST_STEAL
