// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include <jansson.h>
#include <stdbool.h>
#include <stdio.h>

#include "base/clock.h"
#include "base/escape.h"
#include "base/json_out.h"
#include "base/out.h"
#include "kernel/heldtab.h"
#include "names/lockname.h"
#include "output/held_view.h"
#include "output/lock_view.h"
#include "output/print_opts.h"
#include "output/wall_time.h"
#include "events/spinning.h"

static unsigned int nr_recorded(const struct held_cpu *c)
{
	return c->nr < HELD_ENTRIES ? c->nr : HELD_ENTRIES;
}

enum held_state {
	HELD_HOLDS,
	HELD_WAITS,
	HELD_EITHER, /* one of these: the tables do not show which */
};

/* A snapshot, and how its locks are named. */
struct reading {
	const struct heldtab *ht;
	const struct spinning *sp;
	const struct lock_view *v;
};

static bool is_newest(const struct held_cpu *c, unsigned int nth)
{
	return nth + 1 == c->nr;
}

/* Another CPU whose table has the lock, as the newest entry or not; -1: none. */
static int other_cpu(const struct reading *r, unsigned int cpu, unsigned int nth, bool newest)
{
	__u64 lock = heldtab_cpu(r->ht, cpu)->locks[nth];

	for (unsigned int c = 0; c < heldtab_nr_cpus(r->ht); c++) {
		const struct held_cpu *other = heldtab_cpu(r->ht, c);

		for (unsigned int i = 0; i < nr_recorded(other); i++)
			if (other->locks[i] == lock && is_newest(other, i) == newest &&
			    !(c == cpu && i == nth))
				return c;
	}
	return -1;
}

/* Does another CPU have the same newest lock, without being seen to wait for it? */
static bool is_disputed(const struct reading *r, unsigned int cpu, unsigned int nth)
{
	__u64 lock = heldtab_cpu(r->ht, cpu)->locks[nth];

	for (unsigned int c = 0; c < heldtab_nr_cpus(r->ht); c++) {
		const struct held_cpu *other = heldtab_cpu(r->ht, c);

		if (c != cpu && other->nr && other->nr <= HELD_ENTRIES && !r->sp->waits[c] &&
		    other->locks[other->nr - 1] == lock)
			return true;
	}
	return false;
}

/* State of entry number nth of a CPU's table. */
static enum held_state held_state(const struct reading *r, unsigned int cpu, unsigned int nth)
{
	const struct held_cpu *own = heldtab_cpu(r->ht, cpu);

	/* Locks are taken one after the other: a CPU that tries for the next one has this one. */
	if (!is_newest(own, nth))
		return HELD_HOLDS;
	if (other_cpu(r, cpu, nth, false) >= 0 || r->sp->waits[cpu])
		return HELD_WAITS;
	return is_disputed(r, cpu, nth) || !own->top_word ? HELD_EITHER : HELD_HOLDS;
}

/* The CPU that holds the lock that this one waits for; -1: unknown. */
static int owner_of(const struct reading *r, unsigned int cpu, unsigned int nth)
{
	__u64 lock = heldtab_cpu(r->ht, cpu)->locks[nth];

	for (unsigned int c = 0; c < heldtab_nr_cpus(r->ht); c++) {
		const struct held_cpu *other = heldtab_cpu(r->ht, c);

		for (unsigned int i = 0; i < nr_recorded(other); i++)
			if (other->locks[i] == lock && held_state(r, c, i) == HELD_HOLDS)
				return c;
	}
	return -1;
}

/* Is the lock one that doctor takes to measure something? */
static bool is_own(const struct lock_view *v, __u64 addr)
{
	struct lockname name;

	return locknames_find(v->names, addr, 0, NULL, &name) && name.own;
}

/* How many locks of the CPU are shown. */
static unsigned int nr_shown(const struct held_cpu *c, const struct lock_view *v)
{
	unsigned int nr = c->nr;

	for (unsigned int i = 0; i < nr_recorded(c); i++)
		nr -= is_own(v, c->locks[i]);
	return nr;
}

static json_t *entry_json(const struct reading *r, unsigned int cpu, unsigned int nth)
{
	static const char *const states[] = { "holds", "waits", NULL };
	enum held_state state = held_state(r, cpu, nth);
	int owner = state == HELD_WAITS ? owner_of(r, cpu, nth) : -1;
	json_t *j = json_object();

	json_object_set_new(j, "lock", lock_view_json(r->v, heldtab_cpu(r->ht, cpu)->locks[nth]));
	json_object_set_new(j, "state", json_text(states[state]));
	json_object_set_new(j, "owner_cpu", owner < 0 ? json_null() : json_integer(owner));
	return j;
}

static json_t *cpu_json(const struct reading *r, unsigned int cpu)
{
	const struct held_cpu *c = heldtab_cpu(r->ht, cpu);
	json_t *locks = json_array(), *j = json_object();

	for (unsigned int i = 0; i < nr_recorded(c); i++)
		if (!is_own(r->v, c->locks[i]))
			json_array_append_new(locks, entry_json(r, cpu, i));
	json_object_set_new(j, "cpu", json_integer(cpu));
	json_object_set_new(j, "pid", c->pid ? json_integer(c->pid) : json_null());
	json_object_set_new(j, "tid", c->pid ? json_integer(c->tid) : json_null());
	json_object_set_new(j, "comm", c->pid ? json_text(c->comm) : json_null());
	json_object_set_new(j, "nr", json_integer(nr_shown(c, r->v)));
	json_object_set_new(j, "locks", locks);
	return j;
}

static int print_json(const struct reading *r)
{
	json_t *cpus = json_array(), *j = json_object();
	char when[40];

	wall_time(now_ns(), true, when);
	for (unsigned int cpu = 0; cpu < heldtab_nr_cpus(r->ht); cpu++)
		if (nr_shown(heldtab_cpu(r->ht, cpu), r->v))
			json_array_append_new(cpus, cpu_json(r, cpu));
	json_object_set_new(j, "schema", json_string("rqspin-held/1"));
	json_object_set_new(j, "time", json_string(when));
	json_object_set_new(j, "cpus", cpus);
	return json_put_line(j) ?: out_flush();
}

static void put_cpu(const struct reading *r, unsigned int cpu)
{
	const struct held_cpu *c = heldtab_cpu(r->ht, cpu);

	printf("cpu %-3u ", cpu);
	if (c->pid)
		printf("%s/%u ", escaped(c->comm), c->pid);
}

static void print_entry(const struct reading *r, unsigned int cpu, unsigned int nth)
{
	static const char *const states[] = { "holds", "waits for", "holds or waits for" };
	enum held_state state = held_state(r, cpu, nth);
	int owner = state == HELD_WAITS ? owner_of(r, cpu, nth) : -1;

	put_cpu(r, cpu);
	printf("%s ", states[state]);
	lock_view_put(stdout, r->v, heldtab_cpu(r->ht, cpu)->locks[nth]);
	if (owner >= 0)
		printf(" of cpu %d", owner);
	putchar('\n');
}

static void print_cpu(const struct reading *r, unsigned int cpu)
{
	const struct held_cpu *c = heldtab_cpu(r->ht, cpu);

	for (unsigned int i = 0; i < nr_recorded(c); i++)
		if (!is_own(r->v, c->locks[i]))
			print_entry(r, cpu, i);
	if (c->nr <= HELD_ENTRIES)
		return;
	put_cpu(r, cpu);
	printf("holds %u more that the kernel does not record\n", c->nr - HELD_ENTRIES);
}

int held_print(const struct heldtab *ht, const struct spinning *sp, struct locknames *ln,
	       const struct print_opts *opts)
{
	const struct lock_view v = { .names = ln, .no_addr = opts->no_addr };
	const struct reading r = { ht, sp, &v };
	bool any = false;
	char when[40];

	if (opts->json)
		return print_json(&r);
	wall_time(now_ns(), false, when);
	printf("%s\n", when);
	for (unsigned int cpu = 0; cpu < heldtab_nr_cpus(ht); cpu++) {
		any |= nr_shown(heldtab_cpu(ht, cpu), &v) > 0;
		print_cpu(&r, cpu);
	}
	if (!any)
		puts("no CPU holds a resilient lock, or waits for one, at this moment");
	return out_flush();
}
