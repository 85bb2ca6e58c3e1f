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

TOP = pathlib.Path(__file__).resolve().parents[2]
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
    lost = sum(line["lost"] for line in lines if line["type"] == "summary")
    if lost:
        sys.exit(f"{sample}: {lost} lost")
    failures = json.loads(res.stdout)["total"]["failures"]
    return sum(failures.values()), sum(line["type"] == "failure" for line in lines)


def main():
    ap = argparse.ArgumentParser(description=__doc__.split("\n", 1)[0])
    ap.add_argument("samples", nargs="*", metavar="SAMPLE", help="of " + ", ".join(ROUNDS))
    args = ap.parse_args()
    print(f"{'sample':10} {'failed':>7} {'seen':>7} {'share':>6}")
    with tempfile.TemporaryDirectory() as tmp:
        for sample in args.samples or ROUNDS:
            failed, seen = failures_run(sample, ROUNDS[sample], f"{tmp}/out")
            print(f"{sample:10} {failed:7} {seen:7} {100 * seen / failed:5.1f}%", flush=True)


if __name__ == "__main__":
    main()
