#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
"""No circles among C files (X.c and X.h count as one, "X"), and no include upwards.

usage: include-circles.py [--layers FILE] [--complete] FILE...

Includes of files that are not named on the command line (generated ones, systems') do not count.
FILE says which folder is above which (layers.conf beside this script).
"""

import argparse
import re
import sys
from pathlib import Path

ROOTS = ["include", "bpf", "user", "lab/shim", "lab", "lab/machines", "lab/schedules/mc"]
ROOTS += ["selftests", "selftests/tool/check", ""]
INCLUDE = re.compile(r'^\s*#\s*include\s*["<]([^">]+)[">]', re.M)


def module(path):
    """a/b.bpf.c, a/b.bpf.h: a/b.bpf; a/b.c, a/b.h: a/b"""
    return str(path.with_suffix(""))


def find(path, name, files):
    for folder in [path.parent, *map(Path, ROOTS)]:
        parts = []
        for part in (folder / name).parts:
            if part == "..":
                parts.pop()
            else:
                parts.append(part)
        if (found := Path(*parts)) in files:
            return found
    return None


def folder(path):
    return str(path.parent)


def edges(files, node):
    graph = {}
    for path in files:
        here = graph.setdefault(node(path), set())
        for name in INCLUDE.findall(path.read_text(encoding="utf-8")):
            found = find(path, name, files)
            if found and node(found) != node(path):
                here.add(node(found))
    return graph


def circle_from(start, graph, done):
    """The modules of a circle that can be reached from start, the first again at the end."""
    path, todo = [start], [iter(sorted(graph[start]))]
    while todo:
        step = next(todo[-1], None)
        if step is None:
            done.add(path.pop())
            todo.pop()
        elif step in path:
            return path[path.index(step) :] + [step]
        elif step not in done:
            path.append(step)
            todo.append(iter(sorted(graph[step])))
    return None


def print_circles(graph):
    """How many there are."""
    done, bad = set(), 0
    for start in sorted(graph):
        if start in done:
            continue
        if circle := circle_from(start, graph, done):
            print(" -> ".join(circle))
            done.update(circle)
            bad += 1
    return bad


def layers_read(path):
    """Per folder: those that it may include."""
    allowed, half = {}, []
    for line in path.read_text(encoding="utf-8").splitlines():
        if line.startswith("["):
            half = []
        elif line and not line.startswith("#"):
            name, _, others = line.partition(":")
            allowed[name] = {*half, *others.split()}
            half.append(name)
    return allowed


def print_upwards(graph, allowed, complete):
    """How many includes the table does not allow, folders it does not know, and stale lines."""
    bad = [f"{name}: not in the table" for name in graph if name not in allowed]
    for name in sorted(graph.keys() & allowed.keys()):
        bad += [f"{name} -> {other}" for other in sorted(graph[name] - allowed[name])]
    if complete:
        bad += [f"{name}: not in the tree" for name in sorted(allowed.keys() - graph.keys())]
    for line in bad:
        print(line)
    return len(bad)


def main():
    ap = argparse.ArgumentParser(description=__doc__.split("\n", 1)[0])
    ap.add_argument("--layers", type=Path, default=Path(__file__).with_name("layers.conf"))
    ap.add_argument("--complete", action="store_true", help="the files are all of the tree")
    ap.add_argument("files", nargs="+", type=Path)
    args = ap.parse_args()
    files = set(args.files)
    if print_circles(edges(files, module)):
        sys.exit("include circles: move what both need into a file of its own")
    if print_upwards(edges(files, folder), layers_read(args.layers), args.complete):
        sys.exit(f"includes that {args.layers.name} does not allow: move what both need down")


if __name__ == "__main__":
    main()
