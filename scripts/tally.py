#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
"""Count the results in one suite's output (TAP, cmocka's TAP or pytest -v).

tally.py SUITE STATUS LOG prints one line per result: pass|fail|skip TAB SUITE TAB TEST TAB REASON.
A suite passes only what it shows: no results, fewer than planned, a closing line that disagrees
or a bad exit status without a failed test each count as one more failure.
"""

import re
import sys

TAP = re.compile(r"^(not ok|ok)\b *\d* *-? *(.*?)(?: *# *(SKIP\w*|TODO)\b[: ]*(.*))?$", re.I)
PLAN = re.compile(r"^1\.\.(\d+)(?: *# *SKIP\w*[: ]*(.*))?$", re.I)
PYTEST = re.compile(
    r"^(\S+::.*?) (PASSED|FAILED|SKIPPED|ERROR|XFAIL|XPASS)(?: \((.*)\))?(?: +\[ *\d+%\])?$"
)
PYTEST_WHY = re.compile(r"^FAILED (\S+::.*?) - (.*)$")
CLOSING = re.compile(r"^(\d+) passed, (\d+) failed, (\d+) skipped$")
PYTEST_KIND = {"PASSED": "pass", "XFAIL": "pass", "SKIPPED": "skip"}


class Tally:
    def __init__(self):
        self.results = []
        self.planned = 0
        self.whole_skip = None
        self.closed = 0  # results before the last closing line
        self.disagreements = []

    def feed(self, line):
        if m := CLOSING.match(line):
            self.close(tuple(map(int, m.groups())))
        elif m := PLAN.match(line):
            self.planned += int(m[1])
            if m[1] == "0":
                self.whole_skip = m[2] or "no reason given"
        elif m := TAP.match(line):
            self.results.append(tap_result(m))
        elif m := PYTEST.match(line):
            self.results.append((PYTEST_KIND.get(m[2], "fail"), m[1], m[3] or ""))
        elif m := PYTEST_WHY.match(line):
            self.explain(m[1], m[2])

    def explain(self, test, why):
        """pytest says why at the end, in one line."""
        for i, (kind, name, _) in enumerate(self.results):
            if kind == "fail" and name == test:
                self.results[i] = (kind, name, why[:200])

    def close(self, says):
        """A suite of several programs has a closing line of each, or one of all."""
        if says not in (self.counts(self.closed), self.counts()):
            self.disagreements.append("closing line says {}/{}/{}".format(*says))
        self.closed = len(self.results)

    def counts(self, first=0):
        kinds = [r[0] for r in self.results[first:]]
        if not self.results and self.whole_skip is not None:
            kinds = ["skip"]
        return tuple(kinds.count(kind) for kind in ("pass", "fail", "skip"))

    def doubts(self, status):
        """What speaks against the suite beyond its own results."""
        counts = self.counts()
        if not self.results and self.whole_skip is None:
            yield f"no results (exit status {status})"
        elif status != 0 and counts[1] == 0:
            yield f"exit status {status} without a failed test"
        elif status == 0 and counts[1]:
            yield "exit status 0 in spite of failed tests"
        if self.results and self.planned > len(self.results):
            yield f"{len(self.results)} results of {self.planned} planned"
        yield from self.disagreements


def tap_result(m):
    word, name, directive, reason = m.groups()
    if directive and directive.upper().startswith("SKIP"):
        return ("skip", name, reason or "no reason given")
    return ("pass" if word == "ok" else "fail", name, reason or "")


def main():
    suite, status, log = sys.argv[1], int(sys.argv[2]), sys.argv[3]
    tally = Tally()
    with open(log, encoding="utf-8", errors="replace") as f:
        for line in f:
            tally.feed(line.rstrip())
    rows = list(tally.results)
    if not rows and tally.whole_skip is not None:
        rows.append(("skip", "whole suite", tally.whole_skip))
    rows += [("fail", "(suite)", doubt) for doubt in tally.doubts(status)]
    for row in rows:
        print("\t".join((row[0], suite, *row[1:])))


if __name__ == "__main__":
    main()
