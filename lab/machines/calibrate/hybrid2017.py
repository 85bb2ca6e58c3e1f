# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
"""Long 2017: a kernel build in guests with more virtual CPUs than there are CPUs.

Only ratios of build times can be simulated. One constant, the time between two acquisitions, is
calibrated on one ratio; 8 locks and sections of 2 us are assumptions, as are time slices of 4 ms.
"""

import math

from published import read

PCPUS, LOCKS, SECTION_US = 36, 8, 2
TRAIN_VCPUS = 54
SEEDS = range(1, 26)
BETWEEN_US = (100, 140, 200, 280, 400, 560, 800, 1130, 1600)
TOPOLOGY = {
    "name": "2 x 18",
    "sockets": 2,
    "cores": 18,
    "smt": 1,
    "random": True,
    "local_ns": 50,
    "remote_ns": 120,
    "occ_local_ns": 8,
    "occ_remote_ns": 20,
    "pause_ns": 5,
}
#: The smaller machine: 2 sockets, 16 cores, 32 threads. Nothing is calibrated with it.
SMALL = {"topology": TOPOLOGY | {"name": "2 x 8 x 2", "cores": 8, "smt": 2}, "pcpus": 32}


def job(lock, vcpus, between_us, seed=1):
    return {
        "lock": lock,
        "seed": seed,
        "threads": int(vcpus),
        "topology": TOPOLOGY,
        "pcpus": PCPUS,
        "locks": LOCKS,
        "cs_ns": SECTION_US * 1000,
        "ncs_ns": between_us * 1000,
        "warm_us": 50000,
        "span_us": 200000,
        "acquisitions": 1000000000,
    }


def ratio(sim, vcpus, between_us, lock="hybrid-pv", machine=None):
    """Build time with lock, as a multiple of that with pv."""
    pv, ours = (rate(sim, k, vcpus, between_us, machine) for k in ("pv", lock))
    return pv / ours


def rate(sim, lock, vcpus, between_us, machine=None):
    """Mean over SEEDS: by chance, convoys form behind a virtual CPU that does not run."""
    jobs = (job(lock, vcpus, between_us, seed) | (machine or {}) for seed in SEEDS)
    return sum(map(sim.rate, jobs)) / len(SEEDS)


def with_ratios(table):
    table["ratio"] = table.hybrid_s / table.pv_s
    table["unfair_ratio"] = table.unfair_s / table.pv_s
    return table


def calibrate(sim):
    """Return: time between acquisitions, and the table with simulated columns."""
    t = with_ratios(read("hybrid-pv-2017.csv"))
    t["share"] = t.stolen / (t.stolen + t.queued)
    want = t[t.vcpus == TRAIN_VCPUS].ratio.iloc[0]
    best = min(BETWEEN_US, key=lambda us: abs(math.log(ratio(sim, TRAIN_VCPUS, us) / want)))
    t["sim_ratio"] = [ratio(sim, n, best) for n in t.vcpus]
    t["sim_unfair_ratio"] = [ratio(sim, n, best, "unfair") for n in t.vcpus]
    t["sim_share"] = [stolen_share(sim, n, best) for n in t.vcpus]
    return best, t


def stolen_share(sim, vcpus, between_us):
    runs = [sim.run(job("hybrid-pv", vcpus, between_us, seed)) for seed in SEEDS]
    stolen = sum(r["unfair"] for r in runs)
    return stolen / max(1, stolen + sum(r["queued"] for r in runs))


def small(sim, between_us):
    """The table of the smaller machine, with what is simulated of it."""
    t = with_ratios(read("hybrid-pv-small-2017.csv"))
    t["sim_ratio"] = [ratio(sim, n, between_us, machine=SMALL) for n in t.vcpus]
    t["sim_unfair_ratio"] = [ratio(sim, n, between_us, "unfair", SMALL) for n in t.vcpus]
    return t


def as_calibrated(table, vcpus, pcpus):
    """A baseline: the calibrated ratio wherever a CPU has more than one virtual CPU."""
    known = table[table.vcpus == TRAIN_VCPUS].ratio.iloc[0]
    return [known if n > pcpus else 1.0 for n in vcpus]
