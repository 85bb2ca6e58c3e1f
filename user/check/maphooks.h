/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Which programs can come on top of an operation that holds a lock inside a map, on one CPU. */
#ifndef RQSPIN_CHECK_MAPHOOKS_H
#define RQSPIN_CHECK_MAPHOOKS_H

#include "check/record.h"
#include "kernel/maplocks.h"

/**
 * struct ontop - a program on top of an operation
 * @locks: mask of enum maplock: one or more of these are held below it; 0: it cannot be there
 * @nmi: the program interrupts the operation; else its hook is in the operation
 * @own: the hook is in the code of maps alone, or on top of all that user space does
 */
struct ontop {
	unsigned int locks;
	bool nmi, own;
};

/* Can the operation's program be on top of any operation at all? */
bool maphook_is_any(const struct check_set *set, const struct use *inner);

/**
 * maphook_find() - can the program of one operation run while another operation holds locks?
 * @set: their programs and maps
 * @kernel: what is known of the locks in the kernel's maps
 * @outer: the operation below
 * @inner: an operation of the program on top
 */
struct ontop maphook_find(const struct check_set *set, const struct maplocks *kernel,
			  const struct use *outer, const struct use *inner);

/* The same for an operation @op of user space on the map. op: as in struct use. */
struct ontop maphook_find_user(const struct check_set *set, const struct maplocks *kernel,
			       __u32 map, const char *op, const struct use *inner);

#endif
