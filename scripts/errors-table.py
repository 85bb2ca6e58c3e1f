#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
"""Write the tables of docs/map-errors.md from user/errors/*.tsv; --check compares."""

import pathlib
import re
import sys

TOP = pathlib.Path(__file__).resolve().parent.parent
PAGE = TOP / "docs/map-errors.md"
PART = re.compile(r"(<!-- (errors|advice): .*? -->\n).*?(<!-- end of \2 -->)", re.S)


def rows(name):
    columns = None
    for line in (TOP / "user/errors" / f"{name}.tsv").read_text().splitlines():
        if line.startswith("#") and "\t" in line:
            columns = line[1:].split("\t")
        elif line and not line.startswith("#"):
            yield dict(zip(columns, line.split("\t"), strict=True))


def spaced(words):
    return words.replace(",", ", ")


def errors_table():
    lines = [
        "| operation | cause | plain lock: 6.12 | resilient: later | 6.12 with the series | do |",
        "|---|---|---|---|---|---|",
    ]
    types = ops = None
    for r in rows("errors"):
        new = r["types"] != types
        name = f"**{spaced(r['types'])}**: " if new else ""
        name += spaced(r["ops"]) if new or r["ops"] != ops else ""
        types, ops = r["types"], r["ops"]
        cells = [name, r["cause"], r["plain"], r["later"], r["series"], spaced(r["do"])]
        lines.append(f"| {' | '.join(cells)} |".replace("|  |", "| |"))
    return "\n".join(lines) + "\n"


def advice_table():
    lines = ["| do | what |", "|---|---|"]
    lines += [f"| {r['id']} | {r['text']} |" for r in rows("advice")]
    return "\n".join(lines) + "\n"


TABLES = {"errors": errors_table, "advice": advice_table}


def main():
    old = PAGE.read_text()
    new = PART.sub(lambda m: m[1] + TABLES[m[2]]() + m[3], old)
    if new == old:
        return 0
    if "--check" in sys.argv[1:]:
        print("docs/map-errors.md: tables are stale: run scripts/errors-table.py", file=sys.stderr)
        return 1
    PAGE.write_text(new)
    return 0


if __name__ == "__main__":
    sys.exit(main())
