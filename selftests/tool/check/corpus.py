#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
"""Write the BPF sources of corpus.tsv: corpus.py TABLE FOLDER."""

import pathlib
import re
import sys

HEAD = """// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Made by selftests/tool/check/corpus.py: {row} */
#include "check.bpf.h"
"""

MAP = """
struct {{
	__uint(type, BPF_MAP_TYPE_{type});
	__uint(max_entries, 8);
	__type(key, __u32);
	__type(value, struct elem);
}} {name} SEC(".maps");
"""

FUNCTION = """
static __noinline int take(struct bpf_res_spin_lock *lock)
{
	int err = bpf_res_spin_lock(lock);

	if (err)
		return err;
	work++;
	bpf_res_spin_unlock(lock);
	return 0;
}
"""


def rows(table):
    """Name, and the columns, of each line."""
    found = []
    for line in pathlib.Path(table).read_text().splitlines():
        if not line.startswith("#"):
            kind, locks, style, programs = line.split("\t")
            found.append((f"{kind}_{len(found):02}_{locks}_{style}", kind, locks, style, programs))
    return found


def declare(locks, numbers):
    if locks == "global":
        lock = 'struct bpf_res_spin_lock lock_{} __hidden SEC(".data.lock_{}");'
        return "\n" + "\n".join(lock.format(n, n) for n in numbers) + "\n"
    if locks == "maps":
        return "".join(MAP.format(type="ARRAY", name=f"map_{n}") for n in numbers)
    return MAP.format(type=locks.upper(), name="elems")


def look_up(locks, numbers):
    """Statements that find the locks, before any of them is taken."""
    for n in numbers if locks != "global" else []:
        name, key = (f"map_{n}", 0) if locks == "maps" else ("elems", n)
        yield f"	struct elem *e{n} = elem_of(&{name}, {key});"
    if locks != "global":
        yield f"	if ({' || '.join(f'!e{n}' for n in numbers)})\n		return 0;"


def lock_of(locks, n):
    return f"&lock_{n}" if locks == "global" else f"&e{n}->lock"


def take(locks, style, chain, depth=0):
    """Nested acquisitions of the chain."""
    tab, lock = "\t" * (depth + 1), lock_of(locks, chain[0])
    last = len(chain) == 1
    if style == "branch" and depth:
        yield f"{tab}if (ctx->len > {depth * 100}) {{"
        yield from take(locks, "plain", chain, depth + 1)
        yield f"{tab}}}"
        return
    if style == "function" and depth and last:
        yield f"{tab}failures += !!take({lock});"
        return
    if style == "helper" and last:
        yield f"{tab}failures += !!take_inlined({lock});"
        return
    irq, flags = ("_irqsave", f", &flags{depth}") if style == "irqsave" else ("", "")
    out = "_irqrestore" if style == "irqsave" else ""
    yield f"{tab}if (bpf_res_spin_lock{irq}({lock}{flags})) {{"
    yield f"{tab}	failures++;"
    yield f"{tab}}} else {{"
    yield from take(locks, style, chain[1:], depth + 1) if not last else [f"{tab}	work++;"]
    yield f"{tab}	bpf_res_spin_unlock{out}({lock}{flags});"
    yield f"{tab}}}"


def program(nr, locks, style, chains):
    numbers = sorted({n for chain in chains for n in chain})
    yield f'\nSEC("tc")\nint party_{nr}(struct __sk_buff *ctx)\n{{'
    yield from look_up(locks, numbers)
    for depth in range(max(len(c) for c in chains) if style == "irqsave" else 0):
        yield f"	unsigned long flags{depth};"
    if style == "loop":
        yield "	for (int i = 0; i < rounds(ctx); i++) {"
    for chain in chains:
        yield from take(locks, style, chain)
    if style == "loop":
        yield "	}"
    yield "	return 0;\n}"


def source(row, locks, style, programs):
    orders = [
        [[int(n) for n in chain.split(">")] for chain in p.split(",")] for p in programs.split()
    ]
    numbers = sorted({int(n) for n in re.findall(r"\d+", programs)})
    text = HEAD.format(row=row) + declare(locks, numbers)
    text += FUNCTION if style == "function" else ""
    for nr, chains in enumerate(orders):
        text += "\n".join(program(nr, locks, style, chains)) + "\n"
    return text


def main():
    table, folder = sys.argv[1:]
    out = pathlib.Path(folder)
    out.mkdir(parents=True, exist_ok=True)
    for name, kind, locks, style, programs in rows(table):
        text = source(f"{kind} {programs}", locks, style, programs)
        file = out / f"{name}.bpf.c"
        if not file.exists() or file.read_text() != text:
            file.write_text(text)


if __name__ == "__main__":
    main()
