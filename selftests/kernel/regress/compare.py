#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
"""Verdicts of the BPF selftests on two kernels: what is left to run, and where they differ.

usage: compare.py plan CONF TESTS [GLOB...]      lines of guest.py for the groups of CONF
       compare.py pending PLAN LOG               those of PLAN that have no result in LOG yet
       compare.py again TIMES PLAN BASE PATCHED  those of PLAN that differ, TIMES times
       compare.py report [--min N] EXPECTED PLAN BASE PATCHED   TAP

A log is what guest.py printed in guest after guest, a line "@@ guest STATUS" behind each.
"""

import argparse
import fnmatch
import re
import sys
from collections import Counter, defaultdict
from pathlib import Path

from pick import rows, wanted

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))
from tap import Tap  # noqa: E402

SUMMARY = re.compile(r"^#(\d+)(/\d+)? +(.*):(OK|FAIL|SKIP)(?: \(SKIP: \d+/\d+\))?$")
VERIFIER = re.compile(r"^(#\d+/[up] .*?) (?:Did not run.*?\) |\d+ cases )?(OK|FAIL|SKIP)(?: .*)?$")
PLAIN = re.compile(r"^(test_\w+(?: \([^)]*\))?): ?(OK|PASS|Pass|SKIP|FAIL)\b")
WHY = re.compile(r"^[\w:./ -]+:FAIL:.*")
VOLATILE = re.compile(r"0x[0-9a-f]+|\b[0-9a-f]{8,}\b|\b\d{5,}\b|\d+\.\d+")
EXCERPT_LINES = 12
WHOLE = ""


class Result:
    """One run of one test: a verdict for each subtest, WHOLE for the test itself."""

    def __init__(self):
        self.verdicts, self.text = {}, []

    def add(self, name, verdict):
        n = 2
        key = name
        while key in self.verdicts:
            key, n = f"{name}~{n}", n + 1
        if verdict == "FAIL" and (why := self.reasons()):
            verdict = f"FAIL {why}"
        self.verdicts[key] = verdict

    def reasons(self):
        """What a failed test said, without what is different each time."""
        return "; ".join(sorted({VOLATILE.sub("N", t) for t in self.text if WHY.match(t)}))


class Log:
    """What a log says: the runs of each test in their order, and what the kernel complained of."""

    def __init__(self, path):
        self.results, self.faults = defaultdict(list), set()
        self.excerpts, self.failed = {}, None
        self.binary, self.order, self.open, self.text = None, [], None, []
        if Path(path).exists():
            for line in Path(path).read_text(errors="replace").splitlines():
                self.mark(line[3:].split()) if line.startswith("@@ ") else self.said(line)

    def close(self, name, verdict):
        """The test that is under way is over."""
        result = self.open or Result()
        result.verdicts[WHOLE] = verdict
        self.results[name].append(result)
        self.order = [t for t in self.order if t != name]
        self.open, self.binary = None, None if name.startswith("prog:") else self.binary

    def mark(self, words):
        kind, *rest = words
        if kind == "begin":
            self.binary, self.order, self.open = rest[0], rest[1:] or rest[:1], Result()
            self.failed = None
        elif kind in ("hung", "died"):
            self.keep(rest[0])
            self.close(rest[0], kind.upper())
        elif kind == "exit":
            self.close(rest[0], "OK" if rest[1] == "0" else f"FAIL exit status {rest[1]}")
        elif kind == "fault":
            self.faults.add(VOLATILE.sub("N", " ".join(rest)))
        elif kind == "end":
            self.order = []
        elif kind == "guest" and self.order:
            # The kernel went down below the first that was not over.
            self.close(self.order[0], "GUEST DIED")
            self.order = []

    def said(self, line):
        if not self.order:
            return
        self.open = self.open or Result()
        if self.binary == "test_progs":
            self.test_progs(line)
        elif m := VERIFIER.match(line) or PLAIN.match(line):
            self.open.add(m[1], m[2].upper().replace("PASS", "OK"))
            # These say why below, not above.
            self.failed = f"{self.binary}/{m[1]}" if m[2] == "FAIL" else None
        elif self.failed:
            self.excerpts.setdefault(self.failed, []).append(line)
        else:
            self.open.text.append(line)

    def test_progs(self, line):
        m = SUMMARY.match(line)
        if not m:
            self.open.text.append(line)
            return
        self.keep(m[3], m[4] == "FAIL")
        if m[2]:
            self.open.add(m[3].split("/", 1)[1], m[4])
            self.open.text = []
        elif m[3] in self.order:
            self.open.add("-", m[4])
            self.close(m[3], self.open.verdicts.pop("-"))

    def keep(self, name, failed=True):
        if failed and self.open and self.open.text:
            self.excerpts[name] = self.open.text


def read_plan(path):
    return [line.split() for line in Path(path).read_text().splitlines()]


def plan(conf, tests, groups):
    """Each test once, in the order of the configuration."""
    by_file = defaultdict(list)
    for line in Path(tests).read_text().splitlines():
        by_file[line.split()[0]].append(line.split()[1])
    keep = wanted(conf, list(by_file))
    seen = set()
    for group, seconds, names in rows(conf):
        if groups and not any(fnmatch.fnmatch(group, g) for g in groups):
            continue
        if names[0] == "prog":
            items = [f"prog:{n}" for n in names[1:]]
        else:
            files = [f for g in names for f in sorted(fnmatch.filter(by_file, g)) if f in keep]
            items = [t for f in files for t in by_file[f]]
        for item in items:
            if item not in seen:
                seen.add(item)
                print(seconds, item)


def pending(path, log):
    had = Counter({name: len(r) for name, r in Log(log).results.items()})
    for seconds, name in read_plan(path):
        if had[name]:
            had[name] -= 1
        else:
            print(seconds, name)


def flatten(name, results):
    """The verdict of each subtest over all runs of a test: the first run counts only alone."""
    runs = results[1:] or results
    out = {}
    for sub in {s for r in runs for s in r.verdicts}:
        seen = {r.verdicts.get(sub, "missing") for r in runs}
        out[f"{name}/{sub}" if sub else name] = seen.pop() if len(seen) == 1 else "unstable"
    return out


def verdicts(log):
    out = {}
    for name, results in log.results.items():
        out |= flatten(name, results)
    return out


def differences(base, patched):
    """Where two sets of verdicts differ, without tests that differ only because a subtest does."""
    names = sorted(base.keys() | patched.keys())
    diff = [n for n in names if base.get(n, "missing") != patched.get(n, "missing")]
    parents = {n.split("/", 1)[0] for n in diff if "/" in n}
    return [n for n in diff if n not in parents]


def again(times, path, base, patched):
    diff = differences(verdicts(Log(base)), verdicts(Log(patched)))
    tests = {n.split("/", 1)[0] for n in diff}
    lines = [line for line in read_plan(path) if line[1] in tests]
    for _ in range(times):
        for line in lines:
            print(*line)


def read_expected(path):
    """Lines of test TAB base TAB patched TAB reason; of a verdict the beginning is enough."""
    lines = [x for x in Path(path).read_text().splitlines() if x and not x.startswith("#")]
    return {f[0]: f[1:] for f in (x.split("\t") for x in lines)}


def short(verdict):
    return verdict if len(verdict) < 120 else verdict[:117] + "..."


def excerpts(logs, name):
    """What both sides said about a test."""
    for side, log in zip(("base", "patched"), logs, strict=True):
        yield from (f"  {side} | {line}" for line in log.excerpts.get(name, [])[-EXCERPT_LINES:])


def report_difference(tap, name, sides, logs, expected):
    seen = [s.get(name, "missing") for s in sides]
    text = f"{name}: base {short(seen[0])}, patched {short(seen[1])}"
    row = expected.get(name)
    if row and seen[0].startswith(row[0]) and seen[1].startswith(row[1]):
        tap.check(True, f"{text}: {row[2]}")
        return
    tap.check(False, text, excerpts(logs, name))


def tally(base, patched):
    kinds = Counter()
    for n in base.keys() & patched.keys():
        kinds[base[n].split()[0] if base[n] == patched[n] else "differ"] += 1
    return kinds


def report(args):
    logs = [Log(args.base), Log(args.patched)]
    ran = logs[0].results.keys() & logs[1].results.keys()
    sides = [{n: v for n, v in verdicts(log).items() if n.split("/", 1)[0] in ran} for log in logs]
    expected = read_expected(args.expected)
    plan_names = {name for _, name in read_plan(args.plan)}
    tap = Tap()
    kinds = tally(*sides)
    print("# on both kernels: " + ", ".join(f"{n} {k}" for k, n in sorted(kinds.items())))
    tap.check(kinds["OK"] >= args.min, f"{kinds['OK']} tests pass on both, {args.min} at least")
    missing = [f"did not run: {n}" for log in logs for n in sorted(plan_names - log.results.keys())]
    tap.check(not missing, "every test ran on both", missing)
    for name in differences(*sides):
        report_difference(tap, name, sides, logs, expected)
    new = sorted(logs[1].faults - logs[0].faults)
    tap.check(not new, "the patched kernel complains of nothing that the base does not", new)
    for name in sorted(expected.keys() - set(differences(*sides))):
        print(f"# expected, but not seen here: {name}")
    return tap.close()


def arguments():
    p = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    sub = p.add_subparsers(dest="verb", required=True)
    commands = {
        "plan": ["conf", "tests"],
        "pending": ["plan", "log"],
        "again": ["times", "plan", "base", "patched"],
        "report": ["expected", "plan", "base", "patched"],
    }
    for verb, names in commands.items():
        s = sub.add_parser(verb)
        for n in names:
            s.add_argument(n, type=int if n == "times" else str)
        if verb == "plan":
            s.add_argument("groups", nargs="*")
        if verb == "report":
            s.add_argument("--min", type=int, default=1)
    return p.parse_args()


def main():
    a = arguments()
    match a.verb:
        case "plan":
            plan(a.conf, a.tests, a.groups)
        case "pending":
            pending(a.plan, a.log)
        case "again":
            again(a.times, a.plan, a.base, a.patched)
        case "report":
            sys.exit(report(a))


if __name__ == "__main__":
    main()
