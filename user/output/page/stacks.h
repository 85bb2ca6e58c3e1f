/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Where failures come from: a tree of what called what, for a flame graph. */
#ifndef RQSPIN_REPORT_STACKS_H
#define RQSPIN_REPORT_STACKS_H

#include <jansson.h>
#include <stdbool.h>

#define STACKS_NODES 20000 /* a frame beyond them is counted with its caller */

/**
 * struct stacks - the tree
 * @root: {"count": 5, "children": {"name": {...}}}
 * @nodes: number of nodes
 * @traces: failures whose call trace is known
 * @shortened: failures whose callers are not all in the tree: too deep, or too many
 */
struct stacks {
	json_t *root;
	unsigned int nodes;
	unsigned long long traces, shortened;
	bool cut; /* the failure that is being added is shortened */
};

int stacks_init(struct stacks *s); /* -ENOMEM */
void stacks_free(struct stacks *s);

/*
 * Adds @nr failures like that of the line, below its task: by call trace, else by program and line;
 * then by lock.
 */
void stacks_add(struct stacks *s, const json_t *line, unsigned long long nr);

/*
 * The tree with children as lists, the most frequent first: {"name": ..., "count": ..., "children":
 * [...]}.
 */
json_t *stacks_json(const struct stacks *s);

#endif
