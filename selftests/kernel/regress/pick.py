#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
"""Reduce a copy of tools/testing/selftests/bpf to the tests of tests.conf and their programs.

usage: pick.py CONF SELFTESTS   prints the variables that its Makefile must be called with
"""

import fnmatch
import re
import sys
from pathlib import Path

SKELETON = re.compile(r'^\s*#\s*include\s+["<]([\w./]+)\.(?:skel|lskel|subskel)\.h[">]', re.M)
OBJECT = re.compile(r'"(?:\./)?(\w+)\.bpf\.o"')
INCLUDED = re.compile(r'^\s*#\s*include\s+"([\w./]+\.[ch])"', re.M)
LISTS = ("LINKED_SKELS", "LSKELS", "LSKELS_EXTRA", "LSKELS_SIGNED")
# resolve_btfids wants this object for every test_progs.
ALWAYS = {"btf_data"}


def rows(conf):
    """The chunks of tests.conf: name, seconds, names."""
    for line in Path(conf).read_text().splitlines():
        words = line.split("#")[0].split()
        if words:
            yield words[0], int(words[1]), words[2:]


def wanted(conf, names):
    """The tests among `names` that the globs of all chunks select."""
    globs = [g for _, _, gs in rows(conf) if gs[0] != "prog" for g in gs]
    unmatched = [g for g in globs if not fnmatch.filter(names, g.lstrip("!"))]
    if unmatched:
        sys.exit(f"pick: no such test: {' '.join(unmatched)}")
    keep = {n for g in globs if g[0] != "!" for n in fnmatch.filter(names, g)}
    drop = {n for g in globs if g[0] == "!" for n in fnmatch.filter(names, g[1:])}
    return keep - drop


def binaries(conf):
    """The programs other than test_progs."""
    return [n for _, _, names in rows(conf) if names[0] == "prog" for n in names[1:]]


def make_list(makefile, name):
    """The words of a variable of the Makefile."""
    m = re.search(rf"^{name} := ((?:.*\\\n)*.*)$", makefile, re.M)
    return m[1].replace("\\\n", " ").split() if m else []


def text_with_headers(path, folder, seen):
    """A source with the headers and sources of its own folder that it includes."""
    if path in seen or not path.is_file():
        return ""
    seen.add(path)
    text = path.read_text(errors="replace")
    included = [folder / i for i in INCLUDED.findall(text)]
    return text + "".join(text_with_headers(i, folder, seen) for i in included)


def programs(sources, makefile):
    """The names of programs that the tests include as skeletons, open as objects, or link."""
    used = set(ALWAYS)
    for source in sources:
        text = text_with_headers(source, source.parent, set())
        used |= set(SKELETON.findall(text)) | set(OBJECT.findall(text))
    for skel in list(used):
        used |= {d.removesuffix(".bpf.o") for d in make_list(makefile, rf"{skel}\.skel\.h-deps")}
    return used


def prune(folder, keep):
    """Remove the sources that no kept one is or includes."""
    seen = set()
    for name in keep:
        text_with_headers(folder / f"{name}.c", folder, seen)
    for f in folder.glob("*.c"):
        if f not in seen:
            f.unlink()


def main():
    conf, bpf = sys.argv[1], Path(sys.argv[2])
    makefile = (bpf / "Makefile").read_text()
    tests = wanted(conf, [p.stem for p in (bpf / "prog_tests").glob("*.c")])
    sources = [bpf / "prog_tests" / f"{t}.c" for t in tests]
    sources += [bpf / f"{b}.c" for b in binaries(conf)] + list((bpf / "map_tests").glob("*.c"))
    progs = programs(sources, makefile)
    prune(bpf / "prog_tests", tests)
    prune(bpf / "progs", progs)
    for name in LISTS:
        kept = [w for w in make_list(makefile, name) if w.split(".")[0] in progs]
        print(f"{name}={' '.join(kept)}")


if __name__ == "__main__":
    main()
