/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* The sources of a session: chosen from the table, started, and queried together. */
#ifndef RQSPIN_TRACE_LINEUP_H
#define RQSPIN_TRACE_LINEUP_H

#include <stdbool.h>
#include <stddef.h>

#include "events/source.h"

struct session;

#define LINEUP_MAX (RANK_MAX + 1) /* each has its own rank */

/**
 * struct lineup - sources that were started
 * @sources: by rank, the highest first
 * @states: the states of @sources
 * @nr: number of sources
 * @traits: all traits that any of them has
 * @pinned: the sources read a recording, so they need not work on this kernel; set before they are
 * started
 */
struct lineup {
	const struct source *sources[LINEUP_MAX];
	void *states[LINEUP_MAX];
	int nr;
	unsigned int traits;
	bool pinned;
};

/*
 * Starts sources of the table for the session, sources of self-reports last. wanted: as for
 * session_open(). 0, or -errno after an error message: -EINVAL if the list is wrong, -EOPNOTSUPP if
 * one of the sources does not work here.
 */
int lineup_start(struct lineup *l, struct session *s, const struct source *const *table,
		 const char *wanted);
/* Starts one more, which must work. 0, or -EOPNOTSUPP after an error message. */
int lineup_add(struct lineup *l, struct session *s, const struct source *src);
void lineup_stop(struct lineup *l);

void lineup_poll(struct lineup *l, bool last);

/* Is there a source with one of the traits? */
bool lineup_has(const struct lineup *l, unsigned int traits);

/* Is there a source that sees, or counts, every failure of programs in the kernel's lock? */
bool lineup_counts_all(const struct lineup *l);

/* Best coverage by sources that a program must take part in. prog: NULL if it is not known yet. */
enum source_cover lineup_covers(const struct lineup *l, const struct proginfo *prog);

/* Mask of enum maplock: the locks inside maps whose failures any of the sources sees. */
unsigned int lineup_sees(const struct lineup *l);

/* "ring, trampoline": those of failures */
void lineup_names(const struct lineup *l, char *buf, size_t size);

#endif
