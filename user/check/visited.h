/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* States that have been seen where paths meet. */
#ifndef RQSPIN_CHECK_VISITED_H
#define RQSPIN_CHECK_VISITED_H

#include "check/state.h"

struct visited;

struct visited *visited_new(void);
void visited_free(struct visited *v);

/* The cost so far: comparisons of states, and memory of the states that are kept. */
unsigned long visited_looks(const struct visited *v);
size_t visited_bytes(const struct visited *v);

/*
 * Is the state new? If too many differ by values alone, it is merged with the latest one, so that
 * it covers both. 1: go on, 0: seen, -errno.
 */
int visited_add(struct visited *v, struct syms *syms, struct state *st, __u32 live);

#endif
