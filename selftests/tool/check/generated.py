#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
"""What `rqspin check` says of programs with a known answer: generated.py [options]."""

import argparse
import collections
import concurrent.futures
import json
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

import generate

TOP = pathlib.Path(__file__).resolve().parents[3]
BPFTOOL = os.environ.get("BPFTOOL") or shutil.which("bpftool") or "/usr/sbin/bpftool"
RQSPIN = os.environ.get("RQSPIN", TOP / "build/rqspin")
EDEADLK = 2**32 - 35  # as a program of 32 bits returns it
BATCH = 24  # cases of one object
CERTAIN = {"cycle", "aa", "interrupt", "retry"}
# Notes that are about something else than two locks that may meet.
BESIDE = {"ignored", "retry"}


def is_compiled(obj, source, text):
    ours = [pathlib.Path(__file__), *(TOP / "selftests/tool/check").glob("*.h")]
    headers = [*(TOP / "selftests/kernel/progs").glob("*.h"), *(TOP / "include").rglob("*.h")]
    newest = max(h.stat().st_mtime for h in ours + headers)
    return obj.exists() and source.read_text() == text and obj.stat().st_mtime > newest


def compile_batch(folder, nr, cases):
    """One object that can be run, and perhaps two that share maps: to load these would pin them."""
    objs = [compile_one(folder / f"batch_{nr}.bpf.c", generate.source(cases))]
    for side in range(2):
        text = generate.side_source(cases, side)
        if text:
            objs.append(compile_one(folder / f"batch_{nr}_side_{side}.bpf.c", text))
    return objs


def compile_one(source, text):
    obj = source.with_suffix(".o")
    # A guest is slow to compile: with --keep it takes what this machine has compiled.
    if is_compiled(obj, source, text):
        return obj
    obj.unlink(missing_ok=True)
    source.write_text(text)
    clang = os.environ.get("CLANG", "clang-19")
    machine = os.uname().machine
    flags = ["-g", "-O2", "-target", "bpf", "-mcpu=v3", "-Wall", "-Wno-unused", "-Werror"]
    flags += ["-I", TOP / "include", "-I", TOP / "build", "-I", TOP / "selftests/tool/check"]
    flags += ["-idirafter", f"/usr/include/{machine}-linux-gnu"]
    subprocess.run([clang, *flags, "-c", source, "-o", obj], check=True)
    return obj


def check(objs):
    res = subprocess.run([RQSPIN, "check", "--json", *objs], capture_output=True, text=True)
    if res.returncode not in (0, 4, 10):
        raise SystemExit(f"{objs[0]}: exit {res.returncode}: {res.stderr}")
    return json.loads(res.stdout)["findings"]


def cases_of(finding):
    """Which cases it is about: their names are in those of all that is theirs."""
    return {f"c{n}" for n in re.findall(r"\bc(\d+)_\w", json.dumps(finding))}


def judge(case, findings):
    """'' if the answer is right, else what is wrong."""
    kinds = {f["kind"] for f in findings}
    certain = {f["kind"] for f in findings if f["severity"] != "note"}
    if kinds & {"refused", "not-loaded"}:
        return "not loaded"
    if case.deadlock:
        return "" if kinds - BESIDE else "silent"
    return f"false {sorted(certain & CERTAIN)}" if certain & CERTAIN else ""


def returned(prog):
    """What a program returns, in a run with an empty packet."""
    cmd = [BPFTOOL, "-j", "prog", "run", "pinned", prog, "data_in", "-"]
    res = subprocess.run(cmd, input=bytes(64), capture_output=True, check=True)
    return json.loads(res.stdout)["retval"]


def run_for_real(obj, cases):
    """Programs that deadlock with themselves in each run do so here, and their twins do not."""
    pins = pathlib.Path(f"/sys/fs/bpf/rqspin_generated_{os.getpid()}_{obj.stem.split('.')[0]}")
    some = [c for c in cases if c.each_run]
    if not some:
        return []
    subprocess.run([BPFTOOL, "prog", "loadall", obj, pins], check=True, capture_output=True)
    try:
        codes = [returned(pins / c.programs[0]) for c in some]
    finally:
        shutil.rmtree(pins)
    wrong = [(c, r) for c, r in zip(some, codes, strict=True) if (r == EDEADLK) != c.deadlock]
    return [(c, f"run otherwise: returned {code}", []) for c, code in wrong]


def failures(obj, case, rounds):
    cmd = [RQSPIN, "run", obj, "--roles", ",".join(case.programs), "--count", str(rounds), "--json"]
    res = subprocess.run(cmd, capture_output=True, check=True)
    codes = [r for role in json.loads(res.stdout)["roles"] for r in role["returned"]]
    return sum(r["times"] for r in codes if r["value"] == EDEADLK - 2**32)


def run_together(obj, cases):
    """Each on its own CPU. They meet in nearly all rounds, in few of a machine that is busy."""
    wrong = []
    for case in (c for c in cases if c.meets and len(os.sched_getaffinity(0)) > 1):
        failed = failures(obj, case, 20) or failures(obj, case, 2000)
        if bool(failed) != case.deadlock:
            wrong.append((case, f"run otherwise: {failed} failed", []))
    return wrong


def look(folder, nr, cases, run):
    """Of one object: each case that is judged wrongly, and why."""
    findings = collections.defaultdict(list)
    objs = compile_batch(folder, nr, cases)
    for finding in check(objs):
        for name in cases_of(finding):
            findings[name].append(finding)
    wrong = []
    for case in cases:
        what = judge(case, findings[case.name])
        if what:
            wrong.append((case, what, findings[case.name]))
    if run:
        wrong += run_for_real(objs[0], cases) + run_together(objs[0], cases)
    return wrong


def look_at_all(folder, cases, jobs, run):
    """Each case that is judged wrongly: (case, what is wrong, its findings)."""
    batches = [cases[i : i + BATCH] for i in range(0, len(cases), BATCH)]
    with concurrent.futures.ThreadPoolExecutor(jobs) as pool:
        done = pool.map(lambda b: look(folder, *b, run), enumerate(batches))
        return [wrong for batch in done for wrong in batch]


def tell(wrong):
    for case, what, findings in wrong:
        print(f"{case.name}: {what}: {case.kind}, {case.shape}, deadlock: {case.deadlock}")
        for f in findings:
            print(f"    {f['severity']}: {f['message']} [{f['kind']}]")


def arguments():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--programs", type=int, default=2000, help="at least so many")
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--run", action="store_true", help="also run what deadlocks in each run")
    parser.add_argument("--keep", type=pathlib.Path, help="a folder for sources and objects")
    return parser.parse_args()


def main():
    args = arguments()
    cases = generate.cases(args.seed, args.programs)
    with tempfile.TemporaryDirectory() as scratch:
        folder = args.keep or pathlib.Path(scratch)
        folder.mkdir(parents=True, exist_ok=True)
        wrong = look_at_all(folder, cases, args.jobs, args.run)
    tell(wrong)
    count = collections.Counter(what.split()[0] for _, what, _ in wrong)
    run = sum(c.each_run or c.meets for c in cases)
    programs = sum(len(c.programs) for c in cases)
    print(
        f"seed {args.seed}: {programs} programs in {len(cases)} cases, half of them with a "
        f"deadlock: {count['silent']} silent, {count['false']} false, {count['not']} not loaded"
        + (f", {run} run, {count['run']} otherwise" if args.run else "")
    )
    sys.exit(bool(wrong))


if __name__ == "__main__":
    main()
