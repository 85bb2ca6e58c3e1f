#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
"""Check that what the lock's C did to its word is a behaviour of ResLeave.tla.

usage: traces.py --jar JAR --work DIR --mc MC

Runs the deterministic scheduler for each kind of client below and lets TLC follow the changes of
the word. As a control each trace is also offered with one bit flipped, and must be refused.
"""

import argparse
import re
import shutil
import subprocess
import sys
from pathlib import Path

from tlc import tlc_run

HERE = Path(__file__).resolve().parent
PER_CLIENT = 8
# client of the scheduler -> what the model must be able to do
CLIENTS = {
    "three CPUs": (["A.a"] * 3, {}),
    "three CPUs, twice": (["A.aA.a"] * 3, {"ROUNDS": 2}),
    "four CPUs": (["A.a"] * 4, {}),
    "an NMI": (["--nmi=A.a", "--nmis=1", "A.a", "A.a", "A.a"], {"IRQS": 1}),
    "an interrupt": (["--irq=A.a", "--irqs=1", "A.a", "A.a", "A.a"], {"IRQS": 1}),
    "an owner that stops": (["A~a", "A.a", "A.a", "A.a"], {"LEAVES": 3}),
    "no tags": (["--tag-cpus=0", "A.a", "A.a", "A.a"], {}),
}
DEFAULTS = {"ROUNDS": 1, "IRQS": 0, "LEAVES": 0}
ALWAYS = {"NODES": 4, "STALLS": 0, "BITS": "TRUE", "SAME": "TRUE", "BREAK": '"none"', "LOCK": "{a}"}
ESC = 255
PENDING = 0x100


def record(mc, args, place):
    """Traces of the client, the ones that saw most of the word first."""
    out = place / "words.txt"
    out.unlink(missing_ok=True)
    command = ["prlimit", "--cpu=60", str(mc), "-q", "--random=1", "--seed=1"]
    command += [f"--words={out}", "--nwords=2000", *args]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode:
        raise RuntimeError(f"{' '.join(command)}: {done.stdout}{done.stderr}")
    lines = {line for line in out.read_text().splitlines() if line}
    traces = [[(int(c), int(w, 16)) for c, w in (e.split() for e in t.split(","))] for t in lines]
    traces.sort(key=lambda t: (-len({w for _, w in t}), t))
    step = max(1, len(traces) // (4 * PER_CLIENT))
    return traces[: step * PER_CLIENT : step]


def flip(trace):
    """The same with the pending bit of one word in the middle turned over."""
    i = len(trace) // 2
    return trace[:i] + [(trace[i][0], trace[i][1] ^ PENDING)] + trace[i + 1 :]


def owners(trace):
    """The CPU that owns the lock after each change: an escape tag does not name it."""
    owner = before = None
    for cpu, word in trace:
        if word & 0xFF != before:
            owner = cpu if word & 0xFF == ESC else (word & 0xFF) - 1
        before = word & 0xFF
        yield owner


def tla_word(word, owner):
    tail = f"<<c{(word >> 18) - 1}, {(word >> 16 & 3) + 1}>>" if word >> 18 else "NoNode"
    return (
        f"[b |-> {f'c{owner}' if word & 0xFF else 'None'}, p |-> {int(bool(word & PENDING))}, "
        f"t |-> {tail}]"
    )


def trace_data(traces, ncpu):
    cpus = ", ".join(f"c{i}" for i in range(ncpu))
    rows = []
    for trace in traces:
        steps = ", ".join(
            f"[cpu |-> c{c}, word |-> {tla_word(w, o)}]"
            for (c, w), o in zip(trace, owners(trace), strict=True)
        )
        rows.append(f"    <<{steps}>>")
    body = ",\n".join(rows)
    return (
        "---- MODULE TraceData ----\n"
        f'CONSTANTS {cpus}\nLOCAL None == "none"\nLOCAL NoNode == <<"none", 0>>\n'
        f"Traces == <<\n{body}\n>>\n====\n"
    )


def follow(jar, traces, constants, ncpu, place):
    """Numbers (from 0) of the traces that TLC can follow to the end."""
    for spec in HERE.glob("*.tla"):
        shutil.copy(spec, place)
    (place / "TraceData.tla").write_text(trace_data(traces, ncpu))
    cpus = [f"c{i}" for i in range(ncpu)]
    values = DEFAULTS | ALWAYS | constants | {"CPU": "{" + ", ".join(cpus) + "}"}
    lines = ["SPECIFICATION TSpec", "INVARIANT Accepted", "CHECK_DEADLOCK FALSE", "CONSTANTS"]
    lines += [f"    {k} = {v}" for k, v in (values | {c: c for c in cpus}).items()]
    (place / "case.cfg").write_text("\n".join(lines) + "\n")
    text = tlc_run(jar, place, "ResTrace", 300, ["-Xmx3g"]) or ""
    shutil.rmtree(place / "states", ignore_errors=True)
    if "No error has been found" not in text:
        raise RuntimeError(f"TLC did not finish: {place / 'out'}")
    return {int(n) - 1 for n in re.findall(r'<<"accepted", (\d+)>>', text)}


def check(name, jar, mc, work):
    """True if all traces are accepted and none of the flipped ones is."""
    client, constants = CLIENTS[name]
    place = work / f"trace-{name.replace(' ', '-').replace(',', '')}"
    place.mkdir(parents=True, exist_ok=True)
    traces = record(mc, client, place)
    ncpu = sum(not a.startswith("-") for a in client)
    accepted = follow(jar, traces + [flip(t) for t in traces], constants, ncpu, place)
    n = len(traces)
    real = sum(i < n for i in accepted)
    wrong = len(accepted) - real
    good = n > 0 and real == n and wrong == 0
    print(
        f"{'ok    ' if good else 'not ok'} trace: {name:<22} {real} of {n} accepted, "
        f"{wrong} of {n} with a flipped bit",
        flush=True,
    )
    if not good:
        print(f"     {place / 'out'}; refused: {sorted(set(range(n)) - accepted)}")
    return good


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--jar", type=Path, required=True)
    parser.add_argument("--work", type=Path, required=True)
    parser.add_argument(
        "--mc", type=Path, required=True, help="the scheduler, built by lab/schedules/mc"
    )
    args = parser.parse_args()
    if not args.mc.exists():
        print(f"1..0 # SKIP no {args.mc} (make -C lab/schedules/mc)")
        return 0
    jar, work, mc = args.jar.resolve(), args.work.resolve(), args.mc.resolve()
    results = [check(name, jar, mc, work) for name in CLIENTS]
    print(f"{results.count(True)} passed, {results.count(False)} failed, 0 skipped")
    return 0 if all(results) else 1


if __name__ == "__main__":
    sys.exit(main())
