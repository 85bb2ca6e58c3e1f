// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include <stdbool.h>
#include <stdlib.h>
#include <time.h>

#include "heldtab.h"
#include "trace_cycle.h"

#define SAMPLE_NS 20000000ULL
#define RECENT_NS 500000000ULL
#define CYCLE_MAX 64

/* What one CPU waited for, and in a cycle of how many. */
struct wait {
	__u64 lock;
	__u32 parties;
	__u64 seen_ns;	  /* 0: never confirmed */
	__u32 confirming; /* parties in the look before */
	__u64 confirming_lock;
};

struct cycles {
	struct heldtab *ht;
	struct wait *waits;
	__u64 next;
};

static __u64 now_ns(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	return ts.tv_sec * 1000000000ULL + ts.tv_nsec;
}

struct cycles *cycles_open(struct heldtab *ht)
{
	struct cycles *c = calloc(1, sizeof(*c));

	if (!c)
		return NULL;
	c->ht = ht;
	c->waits = calloc(heldtab_nr_cpus(ht), sizeof(*c->waits));
	if (c->waits)
		return c;
	free(c);
	return NULL;
}

void cycles_close(struct cycles *c)
{
	if (!c)
		return;
	free(c->waits);
	free(c);
}

/* The lock that a CPU with several may be waiting for. */
static __u64 wanted(const struct held_cpu *h)
{
	return h->nr > 1 && h->nr <= HELD_ENTRIES ? h->locks[h->nr - 1] : 0;
}

static int holder(const struct cycles *c, __u64 lock)
{
	for (unsigned int cpu = 0; cpu < heldtab_nr_cpus(c->ht); cpu++) {
		const struct held_cpu *h = heldtab_cpu(c->ht, cpu);

		for (__u32 i = 0; h->nr <= HELD_ENTRIES && i + 1 < h->nr; i++)
			if (h->locks[i] == lock)
				return cpu;
	}
	return -1;
}

/* From CPU to the owner of what it wants, and on, until it comes back to itself. */
static __u32 parties(const struct cycles *c, unsigned int start)
{
	int cpu = start;

	for (__u32 n = 1; n <= CYCLE_MAX; n++) {
		__u64 lock = wanted(heldtab_cpu(c->ht, cpu));

		cpu = lock ? holder(c, lock) : -1;
		if (cpu < 0)
			return 0;
		if ((unsigned int)cpu == start)
			return n;
	}
	return 0;
}

static void confirm(struct cycles *c, unsigned int cpu, __u64 now)
{
	struct wait *w = &c->waits[cpu];
	__u64 lock = wanted(heldtab_cpu(c->ht, cpu));
	__u32 n = lock ? parties(c, cpu) : 0;

	if (n > 2 && n == w->confirming && lock == w->confirming_lock) {
		w->lock = lock;
		w->parties = n;
		w->seen_ns = now;
	}
	w->confirming = n;
	w->confirming_lock = lock;
}

void cycles_sample(struct cycles *c)
{
	__u64 now = now_ns();

	if (now < c->next || heldtab_snapshot(c->ht))
		return;
	c->next = now + SAMPLE_NS;
	for (unsigned int cpu = 0; cpu < heldtab_nr_cpus(c->ht); cpu++)
		confirm(c, cpu, now);
}

__u32 cycles_find(const struct cycles *c, __u32 cpu, __u64 lock)
{
	const struct wait *w = cpu < heldtab_nr_cpus(c->ht) ? &c->waits[cpu] : NULL;

	if (!w || !w->seen_ns || w->lock != lock || now_ns() - w->seen_ns > RECENT_NS)
		return 0;
	return w->parties;
}
