#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
"""Functions read noun_verb: only a few of an area may have a name of one word.

usage: function-names.py [--list] FILE...

Counts the definitions of functions in C and BPF files that are formatted as clang-format leaves
them: a brace alone in the first column opens a function. --list prints the names of one word. Not
counted: BPF programs, whose names users see, and names that are not ours to choose.
"""

import argparse
import re
import sys
from pathlib import Path
from typing import NamedTuple

# The area is the first folder of a path; percent of its functions.
LIMITS = {"user": 2, "bpf": 2, "include": 2, "lab": 4, "selftests": 4}
DICTATED = {"main", "LLVMFuzzerInitialize", "LLVMFuzzerTestOneInput"}

COMMENT = re.compile(r"/\*.*?\*/|//[^\n]*", re.S)
CALL = re.compile(r"\b([A-Za-z_]\w*)\(")


class Function(NamedTuple):
    path: Path
    line: int
    name: str

    @property
    def one_word(self):
        return "_" not in self.name.strip("_")


def head_above(lines, brace):
    """What stands before a function's brace, from the end of the declaration before it."""
    start = brace
    while start and lines[start - 1].strip() and lines[start - 1][0] not in "}#":
        start -= 1
    return "\n".join(lines[start:brace]).split(";")[-1]


def outer_calls(head):
    """NAME and ... of each NAME(...) that is within no other."""
    at, found = 0, []
    while call := CALL.search(head, at):
        at, depth = call.end(), 1
        while depth and at < len(head):
            depth += {"(": 1, ")": -1}.get(head[at], 0)
            at += 1
        found.append((call[1], head[call.end() : at - 1]))
    return found


def function_name(head):
    """None if it is a BPF program or if a macro makes the name."""
    calls = [c for c in outer_calls(head) if c[0] != "__attribute__"]
    if not calls or any(name == "SEC" for name, _ in calls):
        return None
    name, inside = calls[-1]
    if name.startswith("BPF_"):
        name = inside.split(",")[0].strip()
    return None if name.isupper() or name in DICTATED else name


def functions_of(path):
    text = COMMENT.sub(lambda m: "\n" * m[0].count("\n"), path.read_text(encoding="utf-8"))
    lines = text.split("\n")
    for at, line in enumerate(lines):
        if line == "{" and (name := function_name(head_above(lines, at))):
            yield Function(path, at, name)


def area_verdict(area, functions):
    """What to print, and whether the area keeps to its limit."""
    one_word = sum(f.one_word for f in functions)
    percent = 100 * one_word / len(functions)
    line = (
        f"{area}: {len(functions)} functions, {one_word} with a name of one word: {percent:.1f} %"
    )
    good = percent <= LIMITS[area]
    return line if good else f"{line}, more than {LIMITS[area]} %", good


def print_areas(functions):
    """Whether all keep to their limits."""
    good = True
    for area in LIMITS:
        if of_area := [f for f in functions if f.path.parts[0] == area]:
            line, kept = area_verdict(area, of_area)
            print(line)
            good = good and kept
    return good


def main():
    args = argparse.ArgumentParser(usage="%(prog)s [--list] FILE...")
    args.add_argument("--list", action="store_true")
    args.add_argument("files", nargs="+", type=Path)
    opts = args.parse_args()
    functions = [f for path in opts.files for f in functions_of(path)]
    if not any(f.path.parts[0] in LIMITS for f in functions):
        sys.exit("no functions found: give files by their paths in the checkout")
    if opts.list:
        for f in filter(lambda f: f.one_word, functions):
            print(f"{f.path}:{f.line}: {f.name}")
    if not print_areas(functions):
        sys.exit("name functions noun_verb, with their file's noun in front; --list shows which")


if __name__ == "__main__":
    main()
