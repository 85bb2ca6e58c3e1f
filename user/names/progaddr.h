/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Where a program's machine code is, and which of its lines an address is of. */
#ifndef RQSPIN_NAMES_PROGADDR_H
#define RQSPIN_NAMES_PROGADDR_H

#include <linux/bpf.h>
#include <linux/types.h>
#include <stdbool.h>

#define PROGADDR_NO_LINE (~0U)

/**
 * struct progaddr - the code of one program and of its subprograms
 * @funcs: where each begins
 * @sizes: how long it is
 * @lines: where each line of the program's line info begins, in its order
 */
struct progaddr {
	__u64 *funcs;
	__u32 *sizes;
	__u32 nr_funcs;
	__u64 *lines;
	__u32 nr_lines;
};

/* Empty where the kernel hides addresses or interprets programs. */
void progaddr_read(struct progaddr *pa, int prog_fd);
void progaddr_free(struct progaddr *pa);

/* A return address: is it in the program? nth: of its lines, or PROGADDR_NO_LINE. */
bool progaddr_find(const struct progaddr *pa, __u64 addr, __u32 *nth);

#endif
