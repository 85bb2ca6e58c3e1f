# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
"""Did a cell have the machine for itself? Shares of the time of all CPUs that other processes used,
and that the hypervisor stole."""

import os
import pathlib
import resource
import time

#: More than this, and the cell is measured again; if it stays so, tables and charts mark it.
MOST_OTHERS, MOST_STEAL = 0.10, 0.02
#: Ticks of 10 ms are too coarse for a shorter cell.
SHORTEST_S = 0.2
TICK = os.sysconf("SC_CLK_TCK")


def _stat():
    """Seconds that all CPUs were busy, and that were stolen from them."""
    with pathlib.Path("/proc/stat").open() as f:
        user, nice, system, _, _, irq, softirq, steal = map(int, f.readline().split()[1:9])
    return (user + nice + system + irq + softirq) / TICK, steal / TICK


def _own():
    """CPU time of the cells so far, and of all processes that they started and waited for."""
    usage = resource.getrusage(resource.RUSAGE_CHILDREN)
    return usage.ru_utime + usage.ru_stime


class Watch:
    """Watches the machine from its creation to facts()."""

    def __init__(self):
        self.load, self.begin = os.getloadavg()[0], time.monotonic()
        (self.busy, self.steal), self.own = _stat(), _own()

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
        }


def disturbed(facts):
    """Also false for older results, which have no such shares."""
    if facts["seconds"] < SHORTEST_S:
        return False
    return facts.get("others", 0) > MOST_OTHERS or facts.get("steal", 0) > MOST_STEAL


def disturbance(facts):
    """A figure to choose the quietest of several tries by."""
    return facts["others"] / MOST_OTHERS + facts["steal"] / MOST_STEAL
