/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* The memory of an arena, read without a change: pages that nobody has touched stay away. */
#ifndef RQSPIN_KERNEL_ARENAMEM_H
#define RQSPIN_KERNEL_ARENAMEM_H

#include <linux/types.h>
#include <stddef.h>

#include "arenawords.h"

struct arenamem;

/* Keeps a reference to the map. NULL and errno; why gets one line that says what is missing. */
struct arenamem *arenamem_open(__u32 map_id, char *why, size_t size);
void arenamem_close(struct arenamem *mem);

__u64 arenamem_start(const struct arenamem *mem); /* address in user space, never 0 */
__u64 arenamem_size(const struct arenamem *mem);

/* Reads the words at their offsets. 0 or -errno; a word without a page has the error EFAULT. */
int arenamem_read(struct arenamem *mem, struct arena_word *words, size_t nr);

#endif
