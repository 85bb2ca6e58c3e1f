// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/log.h"
#include "output/screen/contention.h"
#include "waits/collect.h"
#include "waits/watch.h"

struct contention {
	struct wait_watch watch;
};

int contention_open(struct contention **contention)
{
	struct contention *c = calloc(1, sizeof(*c));
	int err;

	if (!c) {
		pr_err("out of memory");
		return -ENOMEM;
	}
	/* Without addresses as names, like the locks of failures: rows are joined by name. */
	err = wait_watch_open(&c->watch, NULL, true);
	if (err)
		free(c);
	else
		*contention = c;
	return err;
}

void contention_close(struct contention *c)
{
	if (c)
		wait_watch_close(&c->watch);
	free(c);
}

int contention_look(struct contention *c)
{
	return wait_watch_look(&c->watch);
}

static struct contended *lock_of(struct contended *all, size_t *nr, const char *lock)
{
	for (size_t i = 0; i < *nr; i++)
		if (!strncmp(all[i].lock, lock, sizeof(all[i].lock) - 1))
			return &all[i];
	snprintf(all[*nr].lock, sizeof(all[*nr].lock), "%s", lock);
	return &all[(*nr)++];
}

struct contended *contention_locks(const struct contention *c, size_t *nr)
{
	struct contended *all = calloc(c->watch.table.nr_seen + 1, sizeof(*all));

	*nr = 0;
	for (size_t i = 0; all && i < c->watch.table.nr_seen; i++) {
		const struct wait_row *r = &c->watch.table.seen[i];
		const struct waits_entry *e = r->stack ? waits_at(c->watch.waits, i) : NULL;
		struct contended *lock;

		if (!e || !e->sum.count)
			continue;
		lock = lock_of(all, nr, r->lock);
		lock->count += e->sum.count;
		lock->total_ns += e->sum.total_ns;
		if (lock->max_ns < e->sum.max_ns)
			lock->max_ns = e->sum.max_ns;
	}
	return all;
}

__u64 contention_dropped(const struct contention *c)
{
	return waits_dropped(c->watch.waits);
}
