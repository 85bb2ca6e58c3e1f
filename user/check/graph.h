/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The order of locks over all programs: which lock is taken while which other is held, and cycles
 * in it.
 */
#ifndef RQSPIN_CHECK_GRAPH_H
#define RQSPIN_CHECK_GRAPH_H

#include "check/record.h"

#define CYCLES_MAX 100 /* that are reported */

/**
 * struct cycle - locks that are taken in a circle
 * @nr: number of locks
 * @edges: from each lock to the next
 * @keys: it is a cycle only if unknown keys turn out to be equal
 */
struct cycle {
	unsigned int nr;
	const struct edge **edges;
	bool keys;
};

/**
 * struct cycles - the cycles that can happen, the shortest first
 * @all: @nr of them
 * @more: there are more than CYCLES_MAX
 * @length: cycles of this length and more were not all looked for: it takes too long; 0: all were
 */
struct cycles {
	struct cycle all[CYCLES_MAX];
	size_t nr;
	bool more;
	unsigned int length;
};

/* Find the cycles. 0 or -ENOMEM; call cycles_free() in both cases. */
int graph_cycles(const struct check_set *set, const struct record *record, struct cycles *cycles);
void cycles_free(struct cycles *cycles);

/* Can the two be the same lock? certain: they are. */
bool locks_meet(const struct check_set *set, const struct lock *a, const struct lock *b,
		bool *certain);

/* Can both edges happen in one run? Not if they need different values of a constant. */
bool edges_agree(const struct edge *a, const struct edge *b);

#endif
