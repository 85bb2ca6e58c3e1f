/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Which lock is taken while which is held, over all programs, and where that goes in a circle. */
#ifndef RQSPIN_CHECK_GRAPH_H
#define RQSPIN_CHECK_GRAPH_H

#include "check/record.h"

#define CYCLE_MAX  8   /* locks in it */
#define CYCLES_MAX 100 /* that are told */

/**
 * struct cycle - locks that are taken in a circle
 * @nr: how many
 * @edges: of each to the next
 * @keys: only if keys that are not known turn out to be equal
 */
struct cycle {
	unsigned int nr;
	const struct edge *edges[CYCLE_MAX];
	bool keys;
};

struct cycles {
	struct cycle all[CYCLES_MAX];
	size_t nr;
	bool more; /* than were looked for */
};

/* Cycles that can happen: 0 or -ENOMEM. */
int graph_cycles(const struct check_set *set, const struct record *record, struct cycles *cycles);

/* Can it be the same lock? certain: it is. */
bool locks_meet(const struct check_set *set, const struct lock *a, const struct lock *b,
		bool *certain);

#endif
