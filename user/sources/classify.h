/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* From the tables of held locks to the kind of a failure and its other side. */
#ifndef RQSPIN_SOURCES_CLASSIFY_H
#define RQSPIN_SOURCES_CLASSIFY_H

#include <linux/types.h>
#include <stdbool.h>

#include "rqspin/event.h"
#include "witness.h"

/**
 * struct tables - what was seen of the other CPUs while one CPU failed
 * @nr: entries of @t
 * @complete: no CPU with locks is missing, nor any entry of the others
 */
struct tables {
	const struct witness_table *t;
	__u32 nr;
	bool complete;
};

/*
 * Fill held locks, kind, parties and owner of an event whose err, lock and cpu
 * are known. own: the failing CPU's table; attempting: its newest entry is the
 * attempted lock.
 */
void classify(struct rqspin_event *ev, const struct witness_table *own, bool attempting,
	      const struct tables *all);

#endif
