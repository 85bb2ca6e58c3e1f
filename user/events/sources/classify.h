/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Derives the kind of a failure and its other side from the tables of held locks. */
#ifndef RQSPIN_SOURCES_CLASSIFY_H
#define RQSPIN_SOURCES_CLASSIFY_H

#include <linux/types.h>
#include <stdbool.h>

#include "rqspin/event.h"
#include "witness.h"

/**
 * struct tables - tables of the other CPUs when one CPU failed
 * @t: the tables
 * @nr: entries of @t
 * @complete: all CPUs with locks are in @t, with all their locks
 */
struct tables {
	const struct witness_table *t;
	__u32 nr;
	bool complete;
};

/*
 * Sets held locks, kind, parties and owner of an event whose err, lock and cpu are known. own: the
 * failing CPU's table; attempting: its newest entry is the attempted lock.
 */
void classify_event(struct rqspin_event *ev, const struct witness_table *own, bool attempting,
		    const struct tables *all);

#endif
