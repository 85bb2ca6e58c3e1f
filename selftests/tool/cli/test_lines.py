# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
"""Each failure is shown at the line of the lock call in the user's file, line by line."""

import itertools
import os
import re
import signal
import subprocess
from collections import defaultdict

import pytest
from bpfobj import pinned, run_pinned
from conftest import (
    BUILD,
    LIMIT,
    RQSPIN,
    TOP,
    doctor,
    failed_runs,
    needs_two_cpus,
    no_locks,
    run_sample,
    wait_ready,
)

LINES = TOP / "selftests/tool/lines"
OBJECTS = {
    "raw": "calls.h",
    "raw_events": "calls.h",
    "wrapped": "calls.h",
    "wrapped_events": "calls.h",
    "fallback_events": "calls.h",
    "guard": "guard.bpf.c",
    "guard_events": "guard.bpf.c",
}
PAIRS = {
    "calls.h": [("ab", "ba")],
    "guard.bpf.c": [("ab", "ba"), ("bank_ab", "bank_ba"), ("ordered_pair", "ordered_other")],
}
ROUNDS = 5


def marks(file):
    """Program -> the lines of its failing calls, as marked in the source."""
    lines = defaultdict(list)
    for nr, text in enumerate((LINES / file).read_text().splitlines(), 1):
        for name in re.findall(r"\bat: (\w+)", text):
            lines[name].append(nr)
    return dict(lines)


def skip_unseen(name):
    """Without reports of their own, failures need a source that sees every program."""
    usable = {s["name"] for s in doctor()["trace_sources"] if s["usable"]}
    if name != "fallback_events" and no_locks():
        pytest.skip(f"needs the lock kfuncs: {no_locks()}")
    if "events" not in name and not usable & {"tracepoint", "trampoline", "stream"}:
        pytest.skip("no source sees programs that do not report themselves on this kernel")


def text_of(file, line):
    return (LINES / file).read_text().splitlines()[line - 1].strip()


def check_at(e, name, file, lines):
    """A raw call is known by the kernel only: a program's own report then has its own line."""
    at = e["at"]
    if name == "raw_events" and e["source"] == "ring" and not e["joined"]:
        assert not at["call"], e
        return
    assert at["call"], e
    assert at["line"] in lines, (e, lines)
    assert os.path.basename(at["file"]) == file, e
    assert at["text"] == text_of(file, at["line"]), e


def check_members(e, name, file, want):
    """The kernel with the tracepoint says where each other member of the cycle waits."""
    if "tracepoint" not in (e["source"], e["joined"]) or name == "fallback_events":
        return
    progs = {e["prog"]["name"]}
    for hop in e["chain"]:
        prog, at = hop["prog"]["name"], hop["at"]
        assert hop["function"] is None and hop["tid"], e
        assert at["call"] and os.path.basename(at["file"]) == file, e
        assert at["line"] in want[prog] and at["text"] == text_of(file, at["line"]), e
        progs.add(prog)
    assert len(progs) == e["parties"], e


def check_fallback(e):
    """It knows who owns the lock, and no more of what anybody holds."""
    assert e["held"] is None and e["nr_held"] is None, e
    if e["owner"]:
        assert e["owner"]["cpu"] != e["cpu"], e
        assert e["owner"]["held"] is None and e["owner"]["nr_held"] is None, e


@pytest.mark.parametrize("name", OBJECTS)
def test_own_deadlocks(nothing_left, tracer, name, schema):
    """In programs, static and global functions, loops, branches, on lines side by side."""
    skip_unseen(name)
    file = OBJECTS[name]
    want = {p: n for p, n in marks(file).items() if not any(p in pair for pair in PAIRS[file])}
    if name.startswith("raw"):
        del want["branches"]  # clang merges the two calls
    with pinned(BUILD / f"selftests/tool/lines/{name}.bpf.o") as where, tracer() as t:
        for prog in want:
            run_pinned(where / prog, 1)
    got = defaultdict(list)
    for e in t.events:
        schema.validate(e)
        check_at(e, name, file, want[e["prog"]["name"]])
        got[e["prog"]["name"]].append(e["at"]["line"] if e["at"]["call"] else None)
    for prog, lines in want.items():
        seen = got.get(prog, [])
        assert len(seen) == len(lines), (prog, lines, t.events)
        assert None in seen or sorted(seen) == lines, (prog, lines, t.events)


@needs_two_cpus
@pytest.mark.parametrize("name", OBJECTS)
def test_abba(nothing_left, tracer, name):
    """Two programs with opposite orders, on either CPU: the line of each failing call."""
    skip_unseen(name)
    file = OBJECTS[name]
    want = marks(file)
    obj = BUILD / f"selftests/tool/lines/{name}.bpf.o"
    roles = [r for pair in PAIRS[file] for r in (pair, pair[::-1])]
    with tracer() as t:
        runs = [run_sample(obj, "--roles", ",".join(r), "--count", ROUNDS) for r in roles]
    failed = [failed_runs(run) for run in runs]
    assert all(failed) and len(t.events) == sum(failed)
    events = iter(t.events)
    for names, nr in zip(roles, failed, strict=True):
        for e in itertools.islice(events, nr):
            assert e["prog"]["name"] in names
            check_at(e, name, file, want[e["prog"]["name"]])
            check_members(e, name, file, want)
            if name == "fallback_events":
                check_fallback(e)


@pytest.mark.skipif((os.cpu_count() or 1) < 3, reason="three CPUs have to wait for each other")
def test_cycle_of_three(nothing_left, tracer, tmp_path):
    """The failing member, and where the other two wait; in the text as well."""
    skip_without_tracepoint()
    want = marks("ring.bpf.c")
    obj = BUILD / "selftests/tool/lines/ring.bpf.o"
    with tracer() as t:
        run = run_sample(obj, "--roles", ",".join(want), "--count", ROUNDS)
    assert len(t.events) == failed_runs(run) > 0
    for e in t.events:
        assert e["kind"] == "CYCLE" and e["parties"] == 3
        check_at(e, "ring", "ring.bpf.c", want[e["prog"]["name"]])
        check_members(e, "ring", "ring.bpf.c", want)
    for line in shown_of("ring", tmp_path, ",".join(want)):
        members = re.findall(r" at (ring\.bpf\.c:\d+)(?: in prog \d+ ring_\w\w)? ?", line)
        assert {f"ring.bpf.c:{n}" for (n,) in want.values()} == set(members), line


@needs_two_cpus
def test_abba_text_has_both_lines(nothing_left, tmp_path):
    skip_without_tracepoint()
    want = marks("calls.h")
    for line in shown_of("raw", tmp_path):
        assert re.search(r" prog \d+ (ab|ba) at calls\.h:", line), line
        (other,) = re.findall(r"; owner cpu .* wants .* at (\S+) in prog \d+ (ab|ba);", line)
        assert other[0] == f"calls.h:{want[other[1]][0]}", line


def skip_without_tracepoint():
    usable = {s["name"] for s in doctor()["trace_sources"] if s["usable"]}
    if "tracepoint" not in usable:
        pytest.skip("only the tracepoint rqspinlock_failure knows where others wait")


def shown_of(name, tmp_path, roles="ab,ba"):
    """What trace prints of a deadlock of these programs of that object."""
    skip_unseen(name)
    out, ready = tmp_path / "text", tmp_path / "up"
    os.mkfifo(ready)
    with open(out, "w") as to:
        cmd = [RQSPIN, "trace", "--ready-file", ready]
        proc = subprocess.Popen(cmd, stdout=to, stderr=subprocess.PIPE, text=True)
    wait_ready(proc, ready)
    run_sample(BUILD / f"selftests/tool/lines/{name}.bpf.o", "--roles", roles, "--count", ROUNDS)
    proc.send_signal(signal.SIGINT)
    proc.communicate(timeout=LIMIT)
    return out.read_text().splitlines()


@needs_two_cpus
@pytest.mark.parametrize("name", ["guard_events", "fallback_events"])
def test_text(nothing_left, tmp_path, name):
    """File and line are part of the one line that is shown by default."""
    file = OBJECTS[name]
    want = marks(file)
    lines = shown_of(name, tmp_path)
    assert lines
    for line in lines:
        found = re.search(r" prog \d+ (ab|ba) at (\S+): wants ", line)
        assert found, line
        assert found[2] == f"{file}:{want[found[1]][0]}", line


@needs_two_cpus
def test_text_of_the_fallback(nothing_left, tmp_path):
    """What its owner holds is unknown, not nothing."""
    lines = shown_of("fallback_events", tmp_path)
    owners = [line for line in lines if re.search(r"; owner cpu \d+ ", line)]
    assert owners, lines
    for line in owners:
        assert re.search(r"; owner cpu \d+ \S+/\d+ holds unknown( wants |;|$)", line), line
