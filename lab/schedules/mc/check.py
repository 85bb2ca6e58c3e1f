#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
"""Run the scheduler's jobs and its mutants, and print a table of the results."""

import argparse
import os
import re
import shlex
import shutil
import subprocess
import sys
import time
import tomllib
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

HERE = Path(__file__).resolve().parent
COUNT = re.compile(r"(\w+)=([\d.]+)")


def load(name, key):
    """The entries of a file."""
    with open(HERE / name, "rb") as f:
        return tomllib.load(f)[key]


class Broken(Exception):
    """The scheduler itself did not end as it should."""


class Tally:
    def __init__(self):
        self.count = {"passed": 0, "failed": 0, "skipped": 0}

    def add(self, what, name, text):
        self.count[what] += 1
        mark = "not ok" if what == "failed" else "ok"
        text = f"# SKIP {text}" if what == "skipped" else text
        print(f"{mark:7}{name:28} {text}", flush=True)

    def close(self):
        print(", ".join(f"{n} {what}" for what, n in self.count.items()))
        return 1 if self.count["failed"] else 0


def run(program, args, cap):
    """The outcome and the counts of one run, and all that it printed."""
    cmd = [str(program), "-t", str(cap), *shlex.split(args)]
    # A broken lock may loop without an access, which the scheduler cannot stop. Not by preexec_fn:
    # that is not safe beside threads.
    limit = ["prlimit", f"--cpu={2 * int(cap) + 3}", "--"]
    out = subprocess.run([*limit, *cmd], capture_output=True, text=True, check=False)
    if out.returncode < 0:
        raise Broken(f"{shlex.join(cmd)}: signal {-out.returncode}")
    if out.returncode > 1:
        sys.exit(f"check: {shlex.join(cmd)}: status {out.returncode}: {out.stderr.strip()}")
    last = out.stdout.rstrip().rsplit("\n", 1)[-1]
    return last.split(" ", 1)[0], dict(COUNT.findall(last)), out.stdout


def reason(text):
    found = re.search(r"^failure: (.*)$", text, re.M)
    return found[1] if found else "?"


def describe(count):
    kinds = " ".join(
        f"{k}={count[k]}" for k in ("AA", "ABBA", "CYCLE", "TIMEOUT", "NESTED") if k in count
    )
    size = f"{count['executions']:>8} executions {count['states']:>8} states"
    return f"{size} {float(count['seconds']):6.2f} s  {kinds}"


def take_job(program, job, cap, done, tally, traces):
    """The verdict on what run() gave for a job."""
    outcome, count, text = done
    unseen = [k for k in job.get("sees", []) if k not in count]
    how = outcome if outcome == "EXHAUSTED" else "in part  "
    if outcome == "FAILED":
        course = traces / f"{job['name']}.txt"
        course.write_text(text)
        why = f"{reason(text)}: {program} {job['args']} (course: {course})"
        tally.add("failed", job["name"], why)
    elif outcome != "EXHAUSTED" and not job.get("part"):
        tally.add("skipped", job["name"], f"not exhausted in {cap} s: {describe(count)}")
    elif unseen:
        why = f"never came to {', '.join(unseen)}: {describe(count)}"
        tally.add("failed", job["name"], why)
    else:
        tally.add("passed", job["name"], f"{how} {describe(count)}")


def run_jobs(program, variants, cap, workers, tally, traces):
    """The lock as it is, and what is compiled in another way."""
    reached = traces / "reached"
    shutil.rmtree(reached, ignore_errors=True)
    reached.mkdir()
    work = [(program, f"--reached {reached / j['name']}", j) for j in load("jobs.toml", "job")]
    for jobs, variant in variants.items():
        work += [(variant, "", job) for job in load(jobs, "job")]

    def run_one(item):
        which, more, job = item
        return run(which, f"-t {job.get('part', cap)} {more} {job['args']}", cap)

    # What a search finds in its CPU time does not depend on what runs beside it.
    with ThreadPoolExecutor(workers) as pool:
        for (which, _, job), done in zip(work, pool.map(run_one, work), strict=True):
            take_job(which, job, cap, done, tally, traces)
    check_reached(program, reached, tally)


def access_sites(program):
    """Where the lock's accesses are: return addresses of its calls of the hooks."""
    code = subprocess.run(
        ["objdump", "-d", "--no-show-raw-insn", program], capture_output=True, text=True, check=True
    ).stdout
    sites, pending = set(), False
    for line in code.splitlines():
        found = re.match(r"\s*([0-9a-f]+):\s+(.*)", line)
        if not found:
            pending = False
            continue
        if pending:
            sites.add(found[1])
        pending = bool(re.match(r"call.*<__tsan_(read|write|atomic\d+)", found[2]))
    return sites


def functions_of(program, addresses):
    """The innermost function of each address."""
    if not addresses:
        return []
    cmd = ["addr2line", "-f", "-i", "-a", "-e", program, *addresses]
    out = subprocess.run(cmd, capture_output=True, text=True, check=True).stdout.splitlines()
    return [out[i + 1] for i, line in enumerate(out) if line.startswith("0x")]


def check_reached(program, reached, tally):
    """Each access in the lock's C is made by some job, or listed with a reason."""
    sites = access_sites(program)
    made = {site for file in reached.iterdir() for site in file.read_text().split()}
    missed = sorted(sites - made)
    listed = {e["function"]: e["accesses"] for e in load("unreached.toml", "unreached")}
    names = functions_of(program, missed)
    bad = sorted(n for n in set(names) if names.count(n) > listed.get(n, 0))
    bad += [f"{n} (listed, but reached)" for n in listed if n not in names]
    text = f"{len(sites) - len(missed)} of {len(sites)} accesses in the lock's C are made"
    if bad:
        tally.add(
            "failed",
            "reached",
            f"{text}; not in {', '.join(bad)}: write a job, or list them in unreached.toml",
        )
    else:
        tally.add("passed", "reached", f"{text}, the others are listed")


def run_random(program, seconds, seed, workers, tally, traces):
    jobs = load("random.toml", "job")
    all_args = [f"--random {seconds / len(jobs):.1f} --seed {seed} {job['args']}" for job in jobs]
    with ThreadPoolExecutor(workers) as pool:
        done = list(pool.map(lambda args: run(program, args, seconds), all_args))
    for job, args, (outcome, count, text) in zip(jobs, all_args, done, strict=True):
        if outcome == "FAILED":
            (traces / f"{job['name']}.txt").write_text(text)
            tally.add(
                "failed",
                job["name"],
                f"{reason(text)}: {program} {args} (course of events: {traces}/{job['name']}.txt)",
            )
        else:
            tally.add("passed", job["name"], f"seed {seed} {describe(count)}")


def mutate(source, mutant):
    """The source with the first @old behind the head of function @in replaced."""
    name = mutant["in"]
    head = re.search(rf"^[^\s#/*].*\b{name}\([^;]*?\)\n{{", source, re.M)
    if not head:
        raise Broken(f"no function {name} in {mutant['file']} any more")
    end = source.index("\n}\n", head.end())
    body = source[head.end() : end]
    if mutant["old"] not in body:
        raise Broken(f"{name}() has no text '{mutant['old']}' any more")
    body = body.replace(mutant["old"], mutant["new"], 1)
    return source[: head.end()] + body + source[end:]


def build_mutant(out, mutant, make_cc):
    """Compile the changed file and link it with what is there."""
    where = out / "mutants" / mutant["name"]
    tree = out / "tree"
    make_cc = [a.replace("@TREE@", str(tree)) for a in make_cc]
    source = tree / "kernel/bpf" / mutant["file"]
    where.mkdir(parents=True, exist_ok=True)
    changed = where / mutant["file"]
    changed.write_text(mutate(source.read_text(), mutant))
    unit = changed
    if changed.suffix == ".h":
        # Found beside the file that includes it.
        unit = where / "rqspinlock.c"
        unit.write_text((tree / "kernel/bpf/rqspinlock.c").read_text())
    obj = unit.with_suffix(".o")
    subprocess.run([*make_cc, "-w", "-I", tree / "kernel/bpf", "-c", unit, "-o", obj], check=True)
    objs = [obj if o.name == obj.name else o for o in sorted(out.glob("*.o"))]
    program = where / "mc"
    subprocess.run(["gcc", "-no-pie", "-o", program, *objs], check=True)
    return program


def jobs_for(mutant):
    name = "few.toml" if mutant.get("few") else "jobs.toml"
    jobs = {j["name"]: j for j in load(name, "job")}
    first = [jobs[n] for n in mutant.get("jobs", [])]
    return first + [j for n, j in jobs.items() if n not in mutant.get("jobs", [])]


def children_time():
    times = os.times()
    return times.children_user + times.children_system


def kill(program, mutant, cap, budget):
    """The job that fails with the mutant, and why; None: there is none."""
    end = children_time() + budget
    for job in jobs_for(mutant):
        try:
            outcome, _, text = run(program, "-q " + job["args"], max(cap, job.get("part", 0)))
        except Broken:
            return job["name"], "crashes, or never comes to an access"
        if outcome == "FAILED":
            return job["name"], reason(text)
        if children_time() > end:
            break
    return None


def run_mutants(out, few, make_cc, cap, only, tally):
    for mutant in load("mutants.toml", "mutant"):
        if only and mutant["name"] not in only:
            continue
        try:
            program = build_mutant(few if mutant.get("few") else out, mutant, make_cc)
        except Broken as e:
            tally.add("failed", mutant["name"], str(e))
            continue
        killed = kill(program, mutant, cap, 1 if "equal" in mutant else 5)
        if not only:
            program.unlink()
        if killed and "equal" in mutant and not mutant.get("chance"):
            tally.add(
                "failed",
                mutant["name"],
                f"listed as no fault, but job {killed[0]} fails: {killed[1]}",
            )
        elif killed:
            tally.add("passed", mutant["name"], f"killed by {killed[0]}: {killed[1]}")
        elif "equal" in mutant:
            tally.add("skipped", mutant["name"], f"survives, listed: {mutant['equal']}")
        else:
            tally.add("failed", mutant["name"], "survives every job")


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("what", choices=["jobs", "random", "quick", "mutants", "all"])
    parser.add_argument("--out", type=Path, required=True, help="where mc and its objects are")
    parser.add_argument("--wide", type=Path, required=True, help="... for 16384 CPUs")
    parser.add_argument("--few", type=Path, required=True, help="... with one node for each CPU")
    parser.add_argument("--cc", required=True, help="command that compiles a file of the lock")
    parser.add_argument("--cap", type=float, default=20, help="seconds of CPU time for one search")
    parser.add_argument("--workers", type=int, default=os.cpu_count(), help="searches at a time")
    parser.add_argument("--random-seconds", type=float, default=20)
    parser.add_argument("--seed", type=int, default=int(time.time()))
    parser.add_argument("--only", nargs="*", help="names of mutants")
    args = parser.parse_args()
    program, tally = args.out / "mc", Tally()
    if args.what in ("jobs", "quick", "all"):
        variants = {"wide.toml": args.wide / "mc", "few.toml": args.few / "mc"}
        run_jobs(program, variants, args.cap, args.workers, tally, args.out)
    if args.what in ("random", "quick", "all"):
        run_random(program, args.random_seconds, args.seed, args.workers, tally, args.out)
    if args.what in ("mutants", "all"):
        run_mutants(args.out, args.few, shlex.split(args.cc), 2, args.only, tally)
    return tally.close()


if __name__ == "__main__":
    sys.exit(main())
