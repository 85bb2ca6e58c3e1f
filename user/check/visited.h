/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* States that have been seen where paths meet. */
#ifndef RQSPIN_CHECK_VISITED_H
#define RQSPIN_CHECK_VISITED_H

#include "check/state.h"

struct visited;

struct visited *visited_new(void);
void visited_free(struct visited *v);

/* What it has cost: comparisons of states, memory of those that are kept. */
unsigned long visited_looks(const struct visited *v);
size_t visited_bytes(const struct visited *v);

/*
 * Is there anything new in this state? If too many differ by values alone, it becomes what covers
 * the last one too. 1: go on, 0: seen, -errno.
 */
int visited_add(struct visited *v, struct syms *syms, struct state *st, __u32 live);

#endif
