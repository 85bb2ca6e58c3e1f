#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
"""No circles among C files (X.c and X.h count as one, "X"), nor among the folders of user/.

usage: include-circles.py FILE...

Includes of files that are not named on the command line (generated ones, systems') do not count.
"""

import re
import sys
from pathlib import Path

ROOTS = ["include", "bpf", "user", "lab/shim"]
INCLUDE = re.compile(r'^\s*#\s*include\s+["<]([^">]+)[">]', re.M)


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


def main():
    files = {Path(f) for f in sys.argv[1:]}
    bad = print_circles(edges(files, module))
    below_user = {f for f in files if f.parts[0] == "user" and len(f.parts) > 2}
    bad += print_circles(edges(below_user, folder))
    if bad:
        sys.exit("include circles: move what both need into a file of its own")


if __name__ == "__main__":
    main()
