// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include <stdbool.h>
#include <stdlib.h>
#include <time.h>

#include "base/clock.h"
#include "kernel/heldtab.h"
#include "events/cycle.h"

#define SAMPLE_NS  20000000ULL
#define CONFIRM_NS 1000000
#define RECENT_NS  1000000000ULL
#define CYCLE_MAX  64

/* The lock that a CPU waited for, and the parties of the cycle. */
struct wait {
	__u64 lock;
	__u32 parties;
	__u64 seen_ns; /* 0: never confirmed */
	__u32 suspect; /* parties in the first of two looks */
	__u64 suspect_lock;
};

struct cycles {
	struct heldtab *ht;
	struct wait *waits;
	__u64 next;
};

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

/* The lock that a CPU with several entries in its table may be waiting for. */
static __u64 lock_wanted(const struct held_cpu *h)
{
	return h->nr > 1 && h->nr <= HELD_ENTRIES ? h->locks[h->nr - 1] : 0;
}

static int lock_holder(const struct cycles *c, __u64 lock)
{
	for (unsigned int cpu = 0; cpu < heldtab_nr_cpus(c->ht); cpu++) {
		const struct held_cpu *h = heldtab_cpu(c->ht, cpu);

		for (__u32 i = 0; h->nr <= HELD_ENTRIES && i + 1 < h->nr; i++)
			if (h->locks[i] == lock)
				return cpu;
	}
	return -1;
}

/*
 * Follows the waits from a CPU to the owner of the lock it wants, and on. Returns the parties if
 * they lead back to the CPU, else 0.
 */
static __u32 cycle_parties(const struct cycles *c, unsigned int start)
{
	int cpu = start;

	for (__u32 n = 1; n <= CYCLE_MAX; n++) {
		__u64 lock = lock_wanted(heldtab_cpu(c->ht, cpu));

		cpu = lock ? lock_holder(c, lock) : -1;
		if (cpu < 0)
			return 0;
		if ((unsigned int)cpu == start)
			return n;
	}
	return 0;
}

/* Notes the CPUs that seem to wait in a cycle of three and more. Returns their number. */
static unsigned int cycles_suspect(struct cycles *c)
{
	unsigned int found = 0;

	for (unsigned int cpu = 0; cpu < heldtab_nr_cpus(c->ht); cpu++) {
		struct wait *w = &c->waits[cpu];

		w->suspect_lock = lock_wanted(heldtab_cpu(c->ht, cpu));
		w->suspect = w->suspect_lock ? cycle_parties(c, cpu) : 0;
		found += w->suspect > 2;
	}
	return found;
}

static void cycles_confirm(struct cycles *c, __u64 now)
{
	for (unsigned int cpu = 0; cpu < heldtab_nr_cpus(c->ht); cpu++) {
		struct wait *w = &c->waits[cpu];

		if (w->suspect <= 2 || lock_wanted(heldtab_cpu(c->ht, cpu)) != w->suspect_lock ||
		    cycle_parties(c, cpu) != w->suspect)
			continue;
		w->lock = w->suspect_lock;
		w->parties = w->suspect;
		w->seen_ns = now;
	}
}

void cycles_sample(struct cycles *c)
{
	const struct timespec between = { .tv_nsec = CONFIRM_NS };
	__u64 now = now_ns();

	if (now < c->next || heldtab_snapshot(c->ht))
		return;
	c->next = now + SAMPLE_NS;
	if (!cycles_suspect(c))
		return;
	/* The tables are not read at one instant: only a cycle that lasts is a deadlock. */
	nanosleep(&between, NULL);
	if (!heldtab_snapshot(c->ht))
		cycles_confirm(c, now_ns());
}

__u32 cycles_find(const struct cycles *c, __u32 cpu, __u64 lock)
{
	const struct wait *w = cpu < heldtab_nr_cpus(c->ht) ? &c->waits[cpu] : NULL;

	if (!w || !w->seen_ns || w->lock != lock || now_ns() - w->seen_ns > RECENT_NS)
		return 0;
	return w->parties;
}
