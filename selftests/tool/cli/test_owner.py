# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
"""What runs on the CPU of a lock's owner: two processes with names of their own deadlock."""

import os
import pathlib
import re
import shlex
import shutil
import subprocess
import sys
from errno import EDEADLK

import pytest
from conftest import (
    BPFTOOL,
    BUILD,
    LIMIT,
    RQSPIN,
    doctor,
    doctor_check,
    needs_locks,
    needs_two_cpus,
    run_sample,
    skip_without_locks,
)

ROUNDS = 40
NAMES = ("left", "r\n\x1b[2J\u202e")
ESCAPED = r"r\n\x1b[2J\u202e"


def skip_without(*sources):
    skip_without_locks()
    usable = {s["name"] for s in doctor()["trace_sources"] if s["usable"]}
    if not usable & set(sources):
        pytest.skip(f"no source {' or '.join(sources)} on this kernel")


@pytest.fixture
def parties(tmp_path):
    """The commands of two processes, each on its CPU, that run one side of the sample abba."""
    where = pathlib.Path(f"/sys/fs/bpf/owner-{os.getpid()}")
    obj = BUILD / "bpf/progs/abba.bpf.o"
    subprocess.run([BPFTOOL, "prog", "loadall", obj, where], check=True, timeout=LIMIT)
    cpus = sorted(os.sched_getaffinity(0))
    (tmp_path / "packet").write_bytes(bytes(64))
    cmds = []
    for side, name in enumerate(NAMES):
        (tmp_path / name).symlink_to(BPFTOOL)
        run = [tmp_path / name, "prog", "run", "pinned", where / f"abba_{side}"]
        run += ["data_in", tmp_path / "packet", "repeat", ROUNDS]
        cmds.append(["taskset", "-c", str(cpus[side]), *map(str, run)])
    yield cmds
    shutil.rmtree(where)


def deadlock(parties):
    """Returns the process of each CPU."""
    procs = [subprocess.Popen(cmd, stdout=subprocess.DEVNULL) for cmd in parties]
    assert [p.wait(timeout=LIMIT) for p in procs] == [0, 0]
    return {int(cmd[2]): (p.pid, name) for cmd, p, name in zip(parties, procs, NAMES, strict=True)}


@needs_two_cpus
def test_the_other_task(nothing_left, tracer, parties, schema):
    skip_without("tracepoint", "trampoline")
    with tracer("--kind", "abba") as t:
        tasks = deadlock(parties)
    known = [e for e in t.events if e["owner"]]
    # Where tables are read, an owner that has failed as well may be gone from them.
    assert len(known) > len(t.events) // 2 > 0, t.events
    for e in known:
        schema.validate(e)
        owner = e["owner"]
        assert (e["pid"], e["comm"]) == tasks[e["cpu"]], e
        assert owner["cpu"] != e["cpu"]
        assert (owner["pid"], owner["comm"]) == tasks[owner["cpu"]], e
        assert owner["tid"] == owner["pid"], e


@needs_two_cpus
def test_text(nothing_left, parties):
    skip_without("tracepoint", "trampoline")
    both = " & ".join(shlex.join(cmd) for cmd in parties)
    cmd = ["sh", "-c", f"exec >/dev/null; {both} & wait"]
    env = {**os.environ, "LC_ALL": "C.UTF-8"}
    res = subprocess.run(
        [RQSPIN, "trace", "--kind", "abba", "--", *cmd], capture_output=True, env=env, timeout=LIMIT
    )
    assert res.returncode == 0, res.stderr
    out = res.stdout.decode()
    pids = {}
    for line in out.splitlines():
        who, pid = re.search(r" cpu \d+ (\S+)/(\d+) prog ", line).groups()
        assert pids.setdefault(who, pid) == pid
    owners = re.findall(r"; owner cpu \d+ (\S+)/(\d+) holds ", out)
    assert owners and {who for who, _ in owners} <= {"left", ESCAPED}, out
    assert all(pids.setdefault(who, pid) == pid for who, pid in owners), out
    assert len(pids) == 2


@needs_two_cpus
def test_a_stream_does_not_tell(nothing_left, tracer, parties, schema):
    skip_without("stream")
    with tracer("--source", "stream") as t:
        deadlock(parties)
        run_sample("aa", "--count", 3)
    assert t.events
    for e in t.events:
        schema.validate(e)
        owner = e["owner"] or {"pid": None, "tid": None, "comm": None}
        assert owner["pid"] is owner["tid"] is owner["comm"] is None, e
    assert any(e["owner"] for e in t.events if e["kind"] == "AA")


@needs_locks
def test_doctor_knows_that_it_works():
    """Each kernel with these locks that is tested here leads to its run queues somehow."""
    check = doctor_check("other_tasks")
    assert check["available"], check["detail"]


@needs_locks
def test_its_own_owner(tracer, schema):
    with tracer() as t:
        run_sample("aa", "--count", 3)
    assert len(t.events) == 3
    for e in t.events:
        schema.validate(e)
        assert [e["owner"][k] for k in ("cpu", "pid", "tid", "comm")] == [
            e[k] for k in ("cpu", "pid", "tid", "comm")
        ]


class Party:
    """A process of its own that runs a program when it is told to, until it is closed."""

    def __init__(self, name, cpu):
        cmd = [sys.executable, pathlib.Path(__file__).parent / "party.py", name, str(cpu)]
        pipe = subprocess.PIPE
        self.cpu = cpu
        self.proc = subprocess.Popen(cmd, stdin=pipe, stdout=pipe, text=True)
        self.task = (self.proc.pid, name)

    def begin(self, pin):
        self.proc.stdin.write(f"{pin}\n")
        self.proc.stdin.flush()

    def end(self):
        return int(self.proc.stdout.readline())


@pytest.fixture
def fallback_parties():
    """Two of them, and a function that lets their fallback locks deadlock, if they meet."""
    where = pathlib.Path(f"/sys/fs/bpf/owner-{os.getpid()}")
    where.mkdir()
    obj = BUILD / "selftests/tool/lines/fallback_events.bpf.o"
    cpus = sorted(os.sched_getaffinity(0))
    parties = [Party(name, cpu) for name, cpu in zip(NAMES, cpus, strict=False)]
    loads = []

    def deadlock():
        # Those that miss each other leave their meeting disturbed: begin with a fresh one.
        pins = where / str(len(loads))
        loads.append(pins)
        subprocess.run([BPFTOOL, "prog", "loadall", obj, pins], check=True, timeout=LIMIT)
        for party, prog in zip(parties, ("ab", "ba"), strict=True):
            party.begin(pins / prog)
        return [party.end() for party in parties]

    yield parties, deadlock
    for party in parties:
        party.proc.stdin.close()
        party.proc.wait(timeout=LIMIT)
    shutil.rmtree(where)


@needs_two_cpus
def test_the_fallback_names_the_owner(nothing_left, tracer, fallback_parties, schema):
    """The lock's word has the owner's thread, so this is no guess."""
    parties, deadlock = fallback_parties
    tasks = {party.cpu: party.task for party in parties}
    with tracer("--source", "ring") as t:
        # They have no common start but this one: the first round may be missed.
        rounds = (deadlock().count(-EDEADLK) for _ in range(10))
        deadlocks = next(filter(None, rounds), 0)
    assert deadlocks
    events = [e for e in t.events if e["kind"] == "ABBA"]
    assert len(events) == deadlocks
    for e in events:
        schema.validate(e)
        owner = e["owner"]
        assert (e["pid"], e["comm"]) == tasks[e["cpu"]], e
        assert owner["cpu"] != e["cpu"] and owner["held"] is None
        assert (owner["pid"], owner["comm"]) == tasks[owner["cpu"]], e
        assert owner["tid"] == owner["pid"], e
