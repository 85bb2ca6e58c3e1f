/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Which lock is taken while which is held, over all programs, and where that goes in a circle. */
#ifndef RQSPIN_CHECK_GRAPH_H
#define RQSPIN_CHECK_GRAPH_H

#include "check/record.h"

#define CYCLES_MAX 100 /* that are told */

/**
 * struct cycle - locks that are taken in a circle
 * @nr: how many
 * @edges: of each to the next
 * @keys: only if keys that are not known turn out to be equal
 */
struct cycle {
	unsigned int nr;
	const struct edge **edges;
	bool keys;
};

/**
 * struct cycles - those that can happen, the shortest first
 * @all: @nr of them
 * @more: there are more than CYCLES_MAX
 * @length: longer ones, or some of this length, were not looked for: it takes too long; 0: all were
 */
struct cycles {
	struct cycle all[CYCLES_MAX];
	size_t nr;
	bool more;
	unsigned int length;
};

/* 0 or -ENOMEM; cycles_free() in both cases. */
int graph_cycles(const struct check_set *set, const struct record *record, struct cycles *cycles);
void cycles_free(struct cycles *cycles);

/* Can it be the same lock? certain: it is. */
bool locks_meet(const struct check_set *set, const struct lock *a, const struct lock *b,
		bool *certain);

/* Can both be in one run: nothing that is constant is one thing here and another there? */
bool edges_agree(const struct edge *a, const struct edge *b);

#endif
