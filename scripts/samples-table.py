#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
"""Write the table of samples of docs/samples.md from bpf/progs/expected.tsv; --check compares."""

import pathlib
import re
import sys

TOP = pathlib.Path(__file__).resolve().parent.parent
PAGE = TOP / "docs/samples.md"
PART = re.compile(r"(<!-- samples: .*? -->\n).*?(<!-- end of samples -->)", re.S)


def samples():
    columns = None
    for line in (TOP / "bpf/progs/expected.tsv").read_text().splitlines():
        if line.startswith("#sample\t"):
            columns = line[1:].split("\t")
        elif line and not line.startswith("#"):
            yield dict(zip(columns, line.split("\t"), strict=True))


def table():
    rows = ["| sample | shows | type | CPUs | per round |", "|---|---|---|---|---|"]
    for s in samples():
        kind = s["type"] + (f", needs {s['needs']}" if s["needs"] != "-" else "")
        kind += ", by hand" if s["by"] == "bpftool" else ""
        rows.append(f"| `{s['sample']}` | {s['shows']} | {kind} | {s['cpus']} | {s['expected']} |")
    return "\n".join(rows) + "\n"


def main():
    old = PAGE.read_text()
    new = PART.sub(lambda m: m[1] + table() + m[2], old)
    if new == old:
        return 0
    if "--check" in sys.argv[1:]:
        print(
            "docs/samples.md: samples table is stale: run scripts/samples-table.py", file=sys.stderr
        )
        return 1
    PAGE.write_text(new)
    return 0


if __name__ == "__main__":
    sys.exit(main())
