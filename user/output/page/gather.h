/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Sums over the lines of a trace: what a report shows. */
#ifndef RQSPIN_REPORT_GATHER_H
#define RQSPIN_REPORT_GATHER_H

#include <jansson.h>
#include <stdbool.h>

#include "output/page/known.h"
#include "output/page/stacks.h"
#include "output/page/timeline.h"

#define GATHER_ORIGINS	   16	/* traces whose machines and commands are named */
#define GATHER_TOP	   50	/* rows of a table */
#define GATHER_CYCLES	   24	/* graphs */
#define GATHER_CYCLES_KEPT 2000 /* different cycles that are counted separately */

struct waits;

/* Failures that may be one deadlock. */
struct gather_cycle {
	struct waits *waits;
	unsigned long long count;
	json_t *first, *parties;
};

struct gather {
	json_t *kinds, *programs, *locks, *totals;
	json_t *cycle_keys; /* by waits_key(): lists of indexes of @cycles */
	struct gather_cycle *cycles;
	size_t nr_cycles;
	unsigned long long failures, repeats, summaries;
	unsigned long long long_waits; /* they ended well: only their number is kept */
	unsigned long long events, rate_skipped, lost, missed, unseen;
	bool lost_unknown;
	unsigned long long cycles_left_out; /* failures beyond GATHER_CYCLES_KEPT */
	json_t *sources, *origins, *map_types;
	struct known known;
	struct stacks stacks;
	struct timeline timeline;
	int err; /* the first error */
};

int gather_init(struct gather *g); /* -ENOMEM */
void gather_free(struct gather *g);

/* The callback for lines_read(); ctx is a struct gather. */
void gather_line(const json_t *line, void *ctx);

/* All sums, and in "cycles" the graphs that are to be drawn. */
json_t *gather_json(const struct gather *g);

#endif
