/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* From the tables of held locks to the kind of a failure and its other side. */
#ifndef RQSPIN_CLASSIFY_H
#define RQSPIN_CLASSIFY_H

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

/* The table's newest lock, that it may still wait for; 0 if it has none. */
__u64 table_top(const struct witness_table *t);

/*
 * Who owns the lock, as far as the tables tell; NULL if they do not. *wants is
 * the newest lock of an owner that has others: it holds that too or waits for it.
 */
const struct witness_table *find_owner(const struct tables *all, __u64 lock, __u64 *wants);

/*
 * Fill held locks, kind, parties and owner of an event whose err, lock and cpu
 * are known. own: the failing CPU's table; attempting: its newest entry is the
 * attempted lock.
 */
void classify(struct rqspin_event *ev, const struct witness_table *own, bool attempting,
	      const struct tables *all);

#endif
