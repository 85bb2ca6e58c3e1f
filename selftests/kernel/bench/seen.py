#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
"""Which share of the failed acquisitions the tracepoints contention_begin and _end see here.

The samples count their own failures; rqspin trace has no other source."""

import argparse
import json
import pathlib
import subprocess
import sys
import tempfile

TOP = pathlib.Path(__file__).resolve().parents[3]
RQSPIN = TOP / "build/rqspin"
ROUNDS = {"aa": 500, "abba": 100, "abbcca": 30, "timeout": 10}


def failures_run(sample, rounds, out):
    """Failures of a sample, and those that the trace shows."""
    trace = [RQSPIN, "trace", "--source", "contention", "--only-command", "--json", "-o", out, "--"]
    run = [RQSPIN, "run", sample, "--count", str(rounds), "--json"]
    res = subprocess.run(trace + run, stdout=subprocess.PIPE, text=True, check=False)
    if res.returncode:
        sys.exit(f"{sample}: status {res.returncode}")
    lines = [json.loads(line) for line in pathlib.Path(out).read_text().splitlines()]
    check_summary(sample, [line for line in lines if line["type"] == "summary"])
    failed = sum(json.loads(res.stdout)["total"]["failures"].values())
    if not failed:
        sys.exit(f"{sample}: nothing failed")
    return failed, sum(line["type"] == "failure" for line in lines)


def check_summary(sample, summaries):
    """A failure that was lost, or taken for another's, must not count as one that is not seen."""
    if len(summaries) != 1:
        sys.exit(f"{sample}: {len(summaries)} summaries")
    for what in ("lost", "of_others", "skipped"):
        if summaries[0][what]:
            sys.exit(f"{sample}: {what}: {summaries[0][what]}")


def main():
    ap = argparse.ArgumentParser(description=__doc__.split("\n", 1)[0])
    ap.add_argument("samples", nargs="*", metavar="SAMPLE", help="of " + ", ".join(ROUNDS))
    args = ap.parse_args()
    if unknown := set(args.samples) - set(ROUNDS):
        ap.error(f"no sample {unknown.pop()}")
    print(f"{'sample':10} {'failed':>7} {'seen':>7} {'share':>6}")
    with tempfile.TemporaryDirectory() as tmp:
        for sample in args.samples or ROUNDS:
            failed, seen = failures_run(sample, ROUNDS[sample], f"{tmp}/out")
            print(f"{sample:10} {failed:7} {seen:7} {100 * seen / failed:5.1f}%", flush=True)


if __name__ == "__main__":
    main()
