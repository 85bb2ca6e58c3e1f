# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
"""Linux' own schedulers: before they run, while they run, and after their end.

scx_qmap has resilient locks, scx_flatcg a plain one. scx_two_orders is scx_qmap with a mistake: two
of its locks are taken in two orders. `make schedulers` builds them."""

import contextlib
import json
import pathlib
import subprocess

import pytest
from conftest import BUILD, LIMIT, needs_two_cpus, rqspin, validator

MADE = BUILD / "schedulers"
STATE = pathlib.Path("/sys/kernel/sched_ext/state")
FOUND = 10
# What check needs for scx_qmap in an emulated guest: seconds here are minutes there.
CHECK = 800
# Tasks are born and die on every CPU.
FORKS = "for cpu in 1 2 3 4; do for i in {1..40}; do /bin/true; done & done; wait"
LOCKS = {"qa_task_lock", "qa_q_lock2"}
MISTAKEN = {"qmap_enqueue", "qmap_init_task"}
OTHERS = {"qmap_dequeue", "qmap_dispatch", "qmap_exit_task"}
# The kernel ends a scheduler whose tasks wait too long, as where the host is busy.
STALL = "runnable task stall"
# The mistake's own message, and that of scx_qmap for one who waits behind it.
FAILED = ("two orders: a lock was not to be had", "res_spin_lock failed")
# Starts, and bursts of tasks in each, until the two orders meet: usually in the first.
STARTS = 5
BURSTS = 20

pytestmark = [
    needs_two_cpus,
    pytest.mark.usefixtures("nothing_left"),
    pytest.mark.skipif(not STATE.exists(), reason="no sched_ext (CONFIG_SCHED_CLASS_EXT)"),
    pytest.mark.skipif(
        not (MADE / "scx_two_orders").exists(), reason="needs Linux' schedulers: make schedulers"
    ),
]


def is_on():
    return STATE.read_text().strip() == "enabled"


def goes_on(proc):
    """A fifth of a second later, or at its end."""
    with contextlib.suppress(subprocess.TimeoutExpired):
        proc.wait(0.2)
    return proc.poll() is None


@contextlib.contextmanager
def scheduler(name, said):
    """From the moment when it schedules all tasks; what it says goes to a file."""
    with open(said, "w") as out:
        proc = subprocess.Popen([MADE / name], stdout=out, stderr=subprocess.STDOUT)
    try:
        while not is_on():
            assert goes_on(proc), said.read_text()
        yield proc
    finally:
        proc.terminate()
        proc.wait(LIMIT)


def tasks_fork():
    subprocess.run(["bash", "-c", FORKS], check=True, timeout=LIMIT)


def mistake_runs(said):
    """One that met no deadlock has to have been ended by the kernel, and is started again."""
    for _ in range(STARTS):
        with scheduler("scx_two_orders", said) as proc:
            for _ in range(BURSTS):
                tasks_fork()
                if not is_on():
                    break
            else:
                pytest.fail(f"no deadlock in {BURSTS} bursts of tasks")
            proc.wait(LIMIT)
        text = said.read_text()
        if any(message in text for message in FAILED):
            return
        assert STALL in text
    pytest.fail(f"the host is too busy: {STARTS} schedulers were ended for a stall")


def told_of(events):
    """What failures say: program, kind, the lock that was wanted."""
    return {(e["prog"]["name"], e["kind"], e["lock"]["name"]) for e in events}


def cycles_of(name):
    table = json.loads(rqspin("check", "--json", MADE / f"{name}.bpf.o", timeout=CHECK).stdout)
    validator("check.schema.json").validate(table)
    assert not [f for f in table["findings"] if f["kind"] == "refused"]
    return [f for f in table["findings"] if f["kind"] == "cycle"]


@pytest.mark.parametrize("name", ["scx_qmap", "scx_flatcg"])
def test_a_sound_scheduler_fails_nowhere(tracer, tmp_path, name):
    said = tmp_path / "said"
    with tracer() as t, scheduler(name, said) as proc:
        tasks_fork()
        if not is_on():
            proc.wait(LIMIT)
            assert STALL in said.read_text()
    assert t.events == [] and t.summary["lost"] == 0


def programs_of(failures):
    return {prog for prog, _, _ in failures}


def test_the_mistake_is_seen_when_it_happens_and_afterwards(tracer, tmp_path):
    """The first failure ends the scheduler; the recorder still has it.

    That may be one of a program that waits behind the two, if the host is busy: then once more.
    """
    seen = set()
    assert rqspin("record").returncode == 0
    try:
        for _ in range(STARTS):
            with tracer() as t:
                mistake_runs(tmp_path / "said")
            assert t.events and t.summary["lost"] == 0
            seen |= told_of(t.events)
            if programs_of(seen) & MISTAKEN:
                break
        last = rqspin("trace", "--last", "--json").stdout.splitlines()
    finally:
        rqspin("record", "--stop")
    assert {kind for _, kind, _ in seen} <= {"AA", "ABBA", "TIMEOUT"}
    assert {lock for _, _, lock in seen} <= LOCKS
    assert programs_of(seen) & MISTAKEN
    assert programs_of(f for f in seen if f[1] != "TIMEOUT") <= MISTAKEN
    assert programs_of(seen) <= MISTAKEN | OTHERS
    kept = [e for e in map(json.loads, last) if e["type"] == "failure"]
    assert told_of(kept) == seen


def test_the_mistake_is_found_before_it_runs():
    found = cycles_of("scx_two_orders")
    assert any(all(lock in json.dumps(f) for lock in LOCKS) for f in found), found
    assert cycles_of("scx_qmap") == []
