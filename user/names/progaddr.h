/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* The addresses of a program's machine code, and the source line of an address in it. */
#ifndef RQSPIN_NAMES_PROGADDR_H
#define RQSPIN_NAMES_PROGADDR_H

#include <linux/bpf.h>
#include <linux/types.h>
#include <stdbool.h>

#define PROGADDR_NO_LINE (~0U)

/**
 * struct progaddr - the code of one program and of its subprograms
 * @funcs: start of each function
 * @sizes: size of each function, in bytes
 * @lines: start of the code of each line in the program's line info, in the same order
 */
struct progaddr {
	__u64 *funcs;
	__u32 *sizes;
	__u32 nr_funcs;
	__u64 *lines;
	__u32 nr_lines;
};

/* Empty if the kernel hides addresses or interprets programs. */
void progaddr_read(struct progaddr *pa, int prog_fd);
void progaddr_free(struct progaddr *pa);

/* Is the return address in the program? nth: index of its line, or PROGADDR_NO_LINE. */
bool progaddr_find(const struct progaddr *pa, __u64 addr, __u32 *nth);

#endif
