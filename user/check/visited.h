/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* States that have been seen where paths meet. */
#ifndef RQSPIN_CHECK_VISITED_H
#define RQSPIN_CHECK_VISITED_H

#include "check/state.h"

struct visited;

struct visited *visited_new(__u32 nr_insns);
void visited_free(struct visited *v);

/*
 * Is there anything new in this state? If too many differ by values alone, it becomes what covers
 * the last one too. 1: go on, 0: seen, -errno.
 */
int visited_add(struct visited *v, struct syms *syms, struct state *st, __u32 live);

#endif
