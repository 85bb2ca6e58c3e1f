# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
"""Simulations of what the published documents measured, as CSV: experiments.py NAME OUT.

`make sim-check` judges the simulator; this writes the simulated figures down, row by row, so that
`rqspin-lab claims` can put them beside the published ones. The first lines of the CSV say on which
machine, when and with which sources of the simulator."""

import functools
import json
import sys
from pathlib import Path

import fit
import hybrid2017
import model
import numpy as np
import pandas as pd
import published
import seeds
import simplewrite2015
import ticket2013
from check import PAUSE_NS, TICKET_EVALUATIONS, calibrate_machine, empty_table
from simulator import ROOT, Simulator

sys.path.insert(0, str(ROOT / "lab/campaigns"))
import machine  # noqa: E402
import sources  # noqa: E402
from store import replace_whole  # noqa: E402

TICKETS = ("ticket", "ticket-10x", "ticket-50x", "ticket-250x", "ticket-auto")
MOST_THREADS, MANY_LOCKS = 24, (2, 4, 8)
QUEUE_AND_TICKET = (16, 48, 96, 192)
DEADLOCK_MACHINE = ROOT / "lab/machines/topologies/xeon-8468.json"
DEADLOCK_CPUS, DEADLOCK_ROUNDS, MOST_PARTIES = (48, 192), 100, 8


@functools.cache
def calibrated(sim, arch):
    """Hardware, loads, and the table of one architecture with what is simulated with them."""
    table = empty_table()
    table = table[table.arch == arch].copy()
    return *calibrate_machine(sim, table, arch), table


def held_table_ratio(sim, row, hardware, load, single):
    """Median ratio of the lock with a table of held locks to qspinlock, seed by seed."""

    def rates(lock):
        return seeds.rates(
            sim, model.job(row.arch, row.benchmark, row.threads, hardware, load, single, lock)
        )

    return float(np.median(rates("held-table") / rates("qspinlock")))


def will_it_scale(sim):
    """Operations per second of qspinlock, and the ratio of a lock with a table of held locks."""
    parts = []
    for arch in published.MACHINES:
        hardware, loads, table = calibrated(sim, arch)
        single = fit.singles(table)
        table["held_table"] = [
            held_table_ratio(sim, r, hardware, loads[r.benchmark], single[arch, r.benchmark])
            for r in table.itertuples()
        ]
        parts.append(table)
    columns = ["benchmark", "arch", "threads", "train", "rate", "simulated", "held_table"]
    return pd.concat(parts)[columns].rename(columns={"rate": "ql"})


def queue_and_ticket(sim):
    """Qspinlock as a multiple of the ticket lock, workload of open1 on x86_64."""
    hardware, loads, table = calibrated(sim, "x86_64")
    single = fit.singles(table)["x86_64", "open1"]

    def rates(lock, threads):
        job = model.job("x86_64", "open1", threads, hardware, loads["open1"], single, lock)
        job["topology"]["pause_ns"] = PAUSE_NS
        return seeds.rates(sim, job)

    rows = [
        {"threads": n, "ratio": float(np.median(rates("qspinlock", n) / rates("ticket", n)))}
        for n in QUEUE_AND_TICKET
    ]
    return pd.DataFrame(rows)


def tickets(sim):
    """Semaphore operations per second, by lock, number of threads and number of locks."""
    p, table = ticket2013.calibrate(sim, TICKET_EVALUATIONS)
    single = table[table.threads == 1].per_second.iloc[0]
    use = {(r.lock, r.threads): r.use for r in table.itertuples()}
    cells = [(lock, n, 1) for lock in TICKETS for n in range(1, MOST_THREADS + 1)]
    cells += [(lock, MOST_THREADS, locks) for lock in TICKETS for locks in MANY_LOCKS]
    return pd.DataFrame(
        {
            "lock": lock,
            "threads": n,
            "locks": locks,
            "use": use.get((lock, n), "test") if locks == 1 else "test",
            "simulated": sim.rate({**ticket2013.job(lock, n, p, single), "locks": locks}),
        }
        for lock, n, locks in cells
    )


def hybrid(sim):
    """Build times as multiples of PV's, and the share of stolen acquisitions, on two machines."""
    between, table = hybrid2017.calibrate(sim)
    rows = [
        {"cpus": hybrid2017.PCPUS, "vcpus": r.vcpus, "train": r.vcpus == hybrid2017.TRAIN_VCPUS,
         "hybrid": r.sim_ratio, "unfair": r.sim_unfair_ratio, "stolen": r.sim_share}
        for r in table.itertuples()
    ]  # fmt: skip
    rows += [
        {"cpus": hybrid2017.SMALL["pcpus"], "vcpus": r.vcpus, "train": False,
         "hybrid": r.sim_ratio, "unfair": r.sim_unfair_ratio}
        for r in hybrid2017.small(sim, between).itertuples()
    ]  # fmt: skip
    return pd.DataFrame(rows)


def simple_write(sim):
    """Ms for 5 million acquisitions of each task; two of the rows calibrate one way each."""
    table = simplewrite2015.simulate(sim)
    return table[["nodes", "layout", "tasks", "train", "before", "after"]]


def deadlock_cells():
    """Who is in a deadlock, on how many CPUs. The other CPUs work until the time limit where only
    that helps, which takes long to simulate: there are none then."""
    for parties in range(1, MOST_PARTIES + 1):
        yield from (("queue", n, parties, DEADLOCK_ROUNDS) for n in DEADLOCK_CPUS)
        alone = parties > 2
        yield "held-table", parties if alone else DEADLOCK_CPUS[0], parties, 1 if alone else 20


def deadlocks(sim):
    """Ns from the call that closes a deadlock to its first error, or to the time limit."""
    topology = json.loads(DEADLOCK_MACHINE.read_text())
    rows = []
    for lock, n, parties, rounds in deadlock_cells():
        job = {"lock": lock, "threads": n, "parties": parties, "rounds": rounds}
        result = sim.run({**job, "topology": topology})
        rows.append({**job, "p50_ns": result["p50_ns"], "timeouts": result["timeouts"]})
    return pd.DataFrame(rows)


EXPERIMENTS = {
    "deadlocks": deadlocks,
    "will-it-scale": will_it_scale,
    "queue-and-ticket": queue_and_ticket,
    "tickets": tickets,
    "hybrid": hybrid,
    "simple-write": simple_write,
}


def text_of(name, table):
    """The CSV, with the machine in front: read() of published.py leaves comments out."""
    facts = machine.facts()
    facts["sources"] = sources.simulator_id()
    head = f"# Simulated: lab/machines/calibrate/experiments.py {name}\n" + "".join(
        f"# {key}: {facts[key]}\n" for key in ("cpu", "cpus", "date", "sources")
    )
    return head + table.to_csv(index=False, float_format="%.6g", lineterminator="\n")


def main():
    if len(sys.argv) != 3 or sys.argv[1] not in EXPERIMENTS:
        print(f"usage: experiments.py NAME OUT; NAME: {', '.join(EXPERIMENTS)}", file=sys.stderr)
        return 2
    sim, (name, out) = Simulator(), sys.argv[1:]
    table = EXPERIMENTS[name](sim)
    sim.close()
    path = Path(out)
    path.parent.mkdir(parents=True, exist_ok=True)
    replace_whole(path, text_of(name, table))
    return 0


if __name__ == "__main__":
    sys.exit(main())
