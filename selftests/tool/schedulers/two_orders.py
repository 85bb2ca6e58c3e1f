#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
"""Linux' scheduler scx_qmap with a mistake: two of its locks are taken in two orders.

usage: two_orders.py SOURCE OUTPUT

A task that is put into a queue takes the queue's lock and then that of the free list; one that is
born takes the free list's lock and then that of the queue of ordinary tasks. Each stays between
its two locks for a while, so that they meet soon. A failure ends the scheduler, as all of its
errors."""

import sys
from pathlib import Path

TAKE = """
u64 two_orders_nr, two_orders_failed;

static __always_inline void two_orders_take(struct bpf_res_spin_lock *second)
{
	u64 i;

	bpf_for(i, 0, 2000)
		two_orders_nr++;
	if (bpf_res_spin_lock(second))
		two_orders_failed++;
	else
		bpf_res_spin_unlock(second);
}
"""
END = """	if (two_orders_failed)
		scx_bpf_error("two orders: a lock was not to be had");
"""
# What is put between two texts of scx_qmap, which are there once, one behind the other.
MISTAKE = (
    ('SEC(".data.qa_task_lock");\n', TAKE, ""),
    (
        "\tfifo->tail = taskc;\n",
        "\ttwo_orders_take(&qa_task_lock);\n",
        "\tbpf_res_spin_unlock(lock);\n",
    ),
    ("\ttwo_orders_take(&qa_task_lock);\n\tbpf_res_spin_unlock(lock);\n", END, "}\n"),
    (
        "\tif (qmap_spin_lock(&qa_task_lock))\n\t\treturn -EBUSY;\n",
        "\ttwo_orders_take(&qa_q_lock2);\n",
        "",
    ),
)


def insert(text, insertions):
    for before, new, behind in insertions:
        if text.count(before + behind) != 1:
            sys.exit(f"two_orders.py: not once in the source: {before + behind!r}")
        text = text.replace(before + behind, before + new + behind)
    return text


def main():
    source, output = map(Path, sys.argv[1:])
    output.write_text(insert(source.read_text(), MISTAKE))


if __name__ == "__main__":
    main()
