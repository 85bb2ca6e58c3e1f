// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include <stdlib.h>

#include "kernel/heldtab.h"
#include "waits/sample.h"

struct wait_sample {
	size_t nr;
	struct wait_attempt *cpus;
};

struct wait_sample *wait_sample_new(size_t nr_cpus)
{
	struct wait_sample *s = calloc(1, sizeof(*s));

	if (!s)
		return NULL;
	s->nr = nr_cpus;
	s->cpus = calloc(nr_cpus, sizeof(*s->cpus));
	if (s->cpus)
		return s;
	free(s);
	return NULL;
}

void wait_sample_free(struct wait_sample *s)
{
	if (s)
		free(s->cpus);
	free(s);
}

static struct wait_attempt attempt_of(const struct held_cpu *h)
{
	struct wait_attempt a = { .nr = h->nr };

	if (h->nr && h->nr <= HELD_ENTRIES)
		a.lock = h->locks[h->nr - 1];
	return a;
}

/* A CPU holds a lock if the lock's entry is below another one. */
static bool lock_is_owned(struct heldtab *ht, __u64 lock)
{
	for (unsigned int cpu = 0; cpu < heldtab_nr_cpus(ht); cpu++) {
		const struct held_cpu *h = heldtab_cpu(ht, cpu);

		for (__u32 i = 0; h->nr <= HELD_ENTRIES && i + 1 < h->nr; i++)
			if (h->locks[i] == lock)
				return true;
	}
	return false;
}

unsigned int wait_sample_waiters(const struct wait_attempt *all, size_t nr, __u64 lock, bool owned)
{
	unsigned int same = 0;

	for (size_t i = 0; i < nr; i++)
		same += all[i].lock == lock;
	/* One of these CPUs may hold the lock; the others wait. */
	return same && !owned ? same - 1 : same;
}

static bool is_first(const struct wait_sample *s, size_t cpu)
{
	for (size_t i = 0; i < cpu; i++)
		if (s->cpus[i].lock == s->cpus[cpu].lock)
			return false;
	return true;
}

/* The tables are not read at one moment: what is the same in two looks was so in between. */
static bool sample_look(struct wait_sample *s, struct heldtab *ht)
{
	if (heldtab_snapshot(ht))
		return false;
	for (size_t i = 0; i < s->nr; i++)
		s->cpus[i] = attempt_of(heldtab_cpu(ht, i));
	if (heldtab_snapshot(ht))
		return false;
	for (size_t i = 0; i < s->nr; i++) {
		struct wait_attempt now = attempt_of(heldtab_cpu(ht, i));

		if (now.nr != s->cpus[i].nr || now.lock != s->cpus[i].lock)
			s->cpus[i].lock = 0;
	}
	return true;
}

bool wait_sample_take(struct wait_sample *s, struct heldtab *ht, wait_sample_fn fn, void *ctx)
{
	if (!sample_look(s, ht))
		return false;
	for (size_t i = 0; i < s->nr; i++) {
		__u64 lock = s->cpus[i].lock;
		unsigned int waiters;

		if (!lock || !is_first(s, i))
			continue;
		waiters = wait_sample_waiters(s->cpus, s->nr, lock, lock_is_owned(ht, lock));
		if (waiters)
			fn(lock, waiters, ctx);
	}
	return true;
}
