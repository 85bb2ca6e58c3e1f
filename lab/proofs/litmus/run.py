#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
"""Run the litmus tests: each must be forbidden, and each of its broken forms allowed.

A test says in comments which text of the lock's C it stands for ("C: file function: text", or
"Patch: series function: text" of what a series of kernel-patches adds) and how to break it
("Broken: old => new", "Broken: without text", more than one after "; ").
"""

import argparse
import re
import subprocess
import sys
import tempfile
from pathlib import Path

HERE = Path(__file__).resolve().parent


def marks(text, what):
    return re.findall(rf"^ \* {what}: (.*)$", text, re.M)


def body_of(source, name):
    """The text of function @name, or None."""
    head = re.search(rf"^[^\s#/*][^;{{}}]*\b{name}\([^;{{}}]*\)\n{{", source, re.M)
    return source[head.start() : source.index("\n}\n", head.end())] if head else None


def find_source(tree, name):
    places = [tree / "kernel/bpf" / name, tree / "include" / name]
    return next((p for p in places if p.exists()), None)


def patched_sources(series):
    """What each patch of @series leaves of the files where it changes them."""
    for path in sorted((HERE.parents[2] / "kernel-patches" / series).glob("*.patch")):
        lines = path.read_text().split("\n")
        yield "\n".join(ln[1:] for ln in lines if ln[:1] in (" ", "+") and ln[:3] != "+++")


def has_text(source, function, want):
    body = source and body_of(source, function)
    return body and want.split(" /*")[0] in body


def untied(tree, text):
    """The first mark whose text is not in the C or the patches any more."""
    for mark in marks(text, "C"):
        name, function, want = re.match(r"(\S+) (\w+): (.*)", mark).groups()
        source = find_source(tree, name)
        if not has_text(source and source.read_text(), function, want):
            return mark
    for mark in marks(text, "Patch"):
        series, function, want = re.match(r"(\S+) (\w+): (.*)", mark).groups()
        if not any(has_text(source, function, want) for source in patched_sources(series)):
            return mark
    return None


def break_it(text, how):
    head, code = text.split("*)\n", 1)
    # "(*" would begin a comment within the comment.
    for edit in how.replace("( *", "(*").split("; "):
        old, new = (edit[8:], "") if edit.startswith("without ") else edit.split(" => ")
        old = old.rstrip(";") + ";" if edit.startswith("without ") else old
        if old not in code:
            sys.exit(f"litmus: no '{old}' to break")
        code = code.replace(old, new)
    return head + "*)\n" + code


def observe(herd, model, text):
    """Never, Sometimes or Always."""
    with tempfile.NamedTemporaryFile("w", suffix=".litmus") as f:
        f.write(text.replace("/* ", "").replace(" */", ""))
        f.flush()
        cmd = [herd, "-conf", "linux-kernel.cfg", f.name]
        out = subprocess.run(
            cmd, cwd=model, capture_output=True, text=True, timeout=60, check=False
        )
    found = re.search(r"^Observation \S+ (\w+)", out.stdout, re.M)
    return found[1] if found else f"no result: {(out.stderr or out.stdout).strip()[:200]}"


class Tally:
    def __init__(self):
        self.passed = self.failed = self.skipped = 0

    def judge(self, name, want, got):
        good = want == got
        self.passed += good
        self.failed += not good
        print(f"{'ok' if good else 'not ok':7}{name:36} {got}{'' if good else ', not ' + want}")

    def close(self):
        print(f"{self.passed} passed, {self.failed} failed, {self.skipped} skipped")
        return 1 if self.failed else 0


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--herd", help="herd7; without it nothing is run")
    parser.add_argument("--why-not", default="no herd7", help="why there is none")
    parser.add_argument("--tree", type=Path, required=True, help="patched kernel tree")
    args = parser.parse_args()
    herd = args.herd and str(Path(args.herd).resolve() if "/" in args.herd else args.herd)
    tally = Tally()
    for path in sorted(HERE.glob("*.litmus")):
        text = path.read_text()
        gone = untied(args.tree, text)
        if gone:
            tally.judge(f"{path.stem} (tie to the C)", gone, "not in the C any more")
        if not herd:
            tally.skipped += 1
            print(f"ok     {path.stem:36} # SKIP not run: {args.why_not}")
            continue
        model = args.tree / "tools/memory-model"
        tally.judge(path.stem, "Never", observe(herd, model, text))
        for how in marks(text, "Broken"):
            got = observe(herd, model, break_it(text, how))
            tally.judge(f"  broken: {how}", "Sometimes", got)
    return tally.close()


if __name__ == "__main__":
    sys.exit(main())
