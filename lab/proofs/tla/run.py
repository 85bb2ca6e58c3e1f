#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
"""Run TLC on the cases of cases.toml and compare each verdict with the expected one.

usage: run.py --jar JAR --work DIR [--quick | --slow | --nightly] [--jobs N] [--heap 3g] [GLOB...]

A case without `breaks` must pass. A case with `breaks` is a negative control: TLC must report
exactly that property (or `deadlock`, `liveness`), else the case fails.
"""

import argparse
import fnmatch
import re
import shutil
import sys
import time
import tomllib
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from tlc import tlc_run

HERE = Path(__file__).resolve().parent
VERDICTS = (
    (re.compile(r"Invariant (\w+) is violated"), None),
    (re.compile(r"Action property (\w+) is violated"), None),
    (re.compile(r"Deadlock reached"), "deadlock"),
    (re.compile(r"Temporal properties were violated"), "liveness"),
    (re.compile(r"Model checking completed\. No error"), "holds"),
)


def load_cases(path):
    """The cases with the defaults of their module filled in."""
    data = tomllib.loads(path.read_text())
    cases = []
    for case in data["case"]:
        base = data["module"][case["module"]]
        constants = base["constants"] | case.get("constants", {})
        merged = base | case
        merged["constants"] = constants
        cases.append(merged)
    return cases


def config_text(case):
    """TLC's configuration file."""
    lines = [f"SPECIFICATION {case.get('spec', 'Spec')}", "CONSTANTS"]
    for name, value in case["constants"].items():
        lines.append(
            f"    {name} {value}" if str(value).startswith("<-") else f"    {name} = {value}"
        )
    for word, key in (("INVARIANT", "invariants"), ("PROPERTY", "properties")):
        lines += [f"{word} {name}" for name in case.get(key, [])]
    # A symmetric reduction is wrong for liveness.
    if case.get("symmetry") and not case.get("properties"):
        lines.append(f"SYMMETRY {case['symmetry']}")
    if not case.get("must_end", True):
        lines.append("CHECK_DEADLOCK FALSE")
    return "\n".join(lines) + "\n"


def verdict_of(output):
    """What TLC said, as one word."""
    for pattern, word in VERDICTS:
        found = pattern.search(output)
        if found:
            return word or found.group(1)
    return "error"


def run_case(case, args):
    """One TLC process; returns (verdict, states, seconds, file with the output)."""
    place = args.work / case["name"]
    shutil.rmtree(place, ignore_errors=True)
    place.mkdir(parents=True)
    for spec in HERE.glob("*.tla"):
        shutil.copy(spec, place)
    (place / "case.cfg").write_text(config_text(case))
    limit = case.get("limit", 300)
    java = [f"-Xmx{args.heap}", "-XX:ParallelGCThreads=1"]
    java += case.get("java", ["-XX:TieredStopAtLevel=1"] if case.get("breaks") else [])
    start = time.monotonic()
    text = tlc_run(args.jar, place, case["module"], limit, java, ["-lncheck", "final"])
    seconds = time.monotonic() - start
    shutil.rmtree(place / "states", ignore_errors=True)
    counts = re.findall(r"(\d[\d,]*) distinct states found", text or "")
    states = int(counts[-1].replace(",", "")) if counts else 0
    verdict = f"no answer in {limit} s of CPU time" if text is None else verdict_of(text)
    return verdict, states, seconds, place / "out"


def report(case, result):
    """Print the table's line; True if the case came out as expected."""
    verdict, states, seconds, out = result
    expected = case.get("breaks", "holds")
    good = verdict == expected
    kind = "control" if "breaks" in case else "holds"
    print(
        f"{'ok    ' if good else 'not ok'} {case['name']:<26} {kind:<8} {verdict:<16} "
        f"{states:>9} {seconds:>6.1f}  {case['what']}",
        flush=True,
    )
    if not good:
        print(f"       expected {expected}; TLC's output: {out}", flush=True)
    return good


def selected(case, args):
    """Whether the case was asked for by name (all without a name)."""
    return not args.globs or any(fnmatch.fnmatch(case["name"], g) for g in args.globs)


def wanted(case, args):
    """Whether a selected case is run; the others are listed as skipped."""
    if case.get("nightly"):
        return args.nightly
    return not (args.quick and case.get("slow"))


def parse_args():
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--jar", type=Path, required=True)
    parser.add_argument("--work", type=Path, required=True)
    size = parser.add_mutually_exclusive_group()
    size.add_argument("--quick", action="store_true", help="not the slow ones")
    size.add_argument("--slow", action="store_true", help="only those that --quick leaves out")
    size.add_argument("--nightly", action="store_true", help="the large cases too")
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--heap", default="3g")
    parser.add_argument("globs", nargs="*")
    args = parser.parse_args()
    args.jar, args.work = args.jar.resolve(), args.work.resolve()
    return args


def run_cases(cases, args):
    """Results in the order of the cases. Long ones begin first, lest one runs alone at the end."""
    begin = sorted(cases, key=lambda c: not any(c.get(key) for key in ("nightly", "slow", "long")))
    with ThreadPoolExecutor(args.jobs) as pool:
        running = {c["name"]: pool.submit(run_case, c, args) for c in begin}
        try:
            return [report(c, running[c["name"]].result()) for c in cases]
        finally:
            pool.shutdown(cancel_futures=True)


def main():
    args = parse_args()
    cases = [c for c in load_cases(HERE / "cases.toml") if selected(c, args)]
    if args.slow:
        cases = [c for c in cases if c.get("slow")]
    run = [c for c in cases if wanted(c, args)]
    print(f"       {'case':<26} {'kind':<8} {'TLC':<16} {'states':>9} {'s':>6}  what")
    results = run_cases(run, args)
    for case in cases:
        if case not in run:
            size, how = ("large", "model-nightly") if case.get("nightly") else ("slow", "model-tla")
            print(f"ok     {case['name']:<26} # SKIP too {size} for every run: make {how}")
    failed = results.count(False)
    print(f"{len(results) - failed} passed, {failed} failed, {len(cases) - len(run)} skipped")
    return 1 if failed or not results else 0


if __name__ == "__main__":
    sys.exit(main())
