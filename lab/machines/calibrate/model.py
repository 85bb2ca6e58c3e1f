# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
"""From parameters to jobs: the assumptions about the machines and will-it-scale."""

from published import ACQUISITIONS, MACHINES

HIT_NS, RMW_NS = 1.0, 6.0
JOB_ACQUISITIONS = 2500

#: Threads of lock2 share one open file: fget() and fput() count its users, each an atomic.
REFS = {"lock2": 2.0}


def topology(arch, hardware):
    sockets, cores, smt = MACHINES[arch]
    occupancy = hardware["occupancy"]
    return {
        "name": arch,
        "sockets": sockets,
        "cores": cores,
        "smt": smt,
        "hit_ns": HIT_NS,
        "rmw_ns": RMW_NS,
        "core_ns": hardware["local"] / 4,
        "local_ns": hardware["local"],
        "remote_ns": hardware["remote"],
        "occ_local_ns": hardware["local"] * occupancy,
        "occ_remote_ns": hardware["remote"] * occupancy,
        "random": True,
        "upgrade_ns": hardware.get("upgrade", 0),
    }


def job(arch, benchmark, threads, hardware, load, single, lock="qspinlock"):
    """A job for a cell of a table; single: operations per second of one thread, which gives ncs."""
    refs = REFS.get(benchmark, 0.0)
    alone = 1e9 / (single * ACQUISITIONS[benchmark])
    known = load["cs"] + (2 + load["lines"]) * HIT_NS + RMW_NS + refs * (HIT_NS + RMW_NS)
    return {
        "lock": lock,
        "topology": topology(arch, hardware),
        "threads": int(threads),
        "acquisitions": JOB_ACQUISITIONS,
        "cs_ns": load["cs"],
        "ncs_ns": max(1.0, alone - known),
        "lines": load["lines"],
        "refs": refs,
    }


def operations(benchmark, acquisitions):
    return acquisitions / ACQUISITIONS[benchmark]
