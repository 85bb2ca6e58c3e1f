// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include <jansson.h>
#include <stdbool.h>
#include <stdio.h>

#include "base/clock.h"
#include "base/json_out.h"
#include "base/out.h"
#include "kernel/heldtab.h"
#include "names/lockname.h"
#include "show/held_view.h"
#include "show/lock_view.h"
#include "show/print_opts.h"
#include "show/wall_time.h"

static unsigned int recorded(const struct held_cpu *c)
{
	return c->nr < HELD_ENTRIES ? c->nr : HELD_ENTRIES;
}

enum held_state {
	HELD_HOLDS,
	HELD_WAITS,
	HELD_EITHER, /* the tables do not tell */
};

/* State of entry number nth of a CPU's table in the latest snapshot. */
static enum held_state held_state(const struct heldtab *ht, unsigned int cpu, unsigned int nth)
{
	const struct held_cpu *own = heldtab_cpu(ht, cpu);
	bool contended = false;

	/* Locks are taken one after the other: whoever tries for the next one has this one. */
	if (nth + 1 < own->nr)
		return HELD_HOLDS;
	for (unsigned int c = 0; c < heldtab_nr_cpus(ht); c++) {
		const struct held_cpu *other = heldtab_cpu(ht, c);

		for (unsigned int i = 0; i < recorded(other); i++) {
			if (other->locks[i] != own->locks[nth] || (c == cpu && i == nth))
				continue;
			if (i + 1 < other->nr)
				return HELD_WAITS;
			contended = true;
		}
	}
	return contended || !own->top_word ? HELD_EITHER : HELD_HOLDS;
}

/* Taken by doctor, to measure something. */
static bool is_own(const struct lock_view *v, __u64 addr)
{
	struct lockname name;

	return locknames_find(v->names, addr, 0, NULL, &name) && name.own;
}

/* How many locks of the CPU are shown. */
static unsigned int nr_shown(const struct held_cpu *c, const struct lock_view *v)
{
	unsigned int nr = c->nr;

	for (unsigned int i = 0; i < recorded(c); i++)
		nr -= is_own(v, c->locks[i]);
	return nr;
}

static json_t *cpu_json(const struct heldtab *ht, unsigned int cpu, const struct lock_view *v)
{
	static const char *const states[] = { "holds", "waits", NULL };
	const struct held_cpu *c = heldtab_cpu(ht, cpu);
	json_t *locks = json_array(), *j = json_object();

	for (unsigned int i = 0; i < recorded(c); i++) {
		json_t *lock;

		if (is_own(v, c->locks[i]))
			continue;
		lock = json_object();
		json_object_set_new(lock, "lock", lock_view_json(v, c->locks[i]));
		json_object_set_new(lock, "state", json_text(states[held_state(ht, cpu, i)]));
		json_array_append_new(locks, lock);
	}
	json_object_set_new(j, "cpu", json_integer(cpu));
	json_object_set_new(j, "nr", json_integer(nr_shown(c, v)));
	json_object_set_new(j, "locks", locks);
	return j;
}

static int print_json(const struct heldtab *ht, const struct lock_view *v)
{
	json_t *cpus = json_array(), *j = json_object();
	char when[40];

	wall_time(now_ns(), true, when);
	for (unsigned int cpu = 0; cpu < heldtab_nr_cpus(ht); cpu++)
		if (nr_shown(heldtab_cpu(ht, cpu), v))
			json_array_append_new(cpus, cpu_json(ht, cpu, v));
	json_object_set_new(j, "schema", json_string("rqspin-held/1"));
	json_object_set_new(j, "time", json_string(when));
	json_object_set_new(j, "cpus", cpus);
	return json_put_line(j) ?: out_flush();
}

static void print_cpu(const struct heldtab *ht, unsigned int cpu, const struct lock_view *v)
{
	static const char *const states[] = { "holds", "waits for", "holds or waits for" };
	const struct held_cpu *c = heldtab_cpu(ht, cpu);

	for (unsigned int i = 0; i < recorded(c); i++) {
		if (is_own(v, c->locks[i]))
			continue;
		printf("cpu %-3u %s ", cpu, states[held_state(ht, cpu, i)]);
		lock_view_put(stdout, v, c->locks[i]);
		putchar('\n');
	}
	if (c->nr > HELD_ENTRIES)
		printf("cpu %-3u holds %u more that the kernel does not record\n", cpu,
		       c->nr - HELD_ENTRIES);
}

int held_print(const struct heldtab *ht, struct locknames *ln, const struct print_opts *opts)
{
	const struct lock_view v = { .names = ln, .no_addr = opts->no_addr };
	bool any = false;
	char when[40];

	if (opts->json)
		return print_json(ht, &v);
	wall_time(now_ns(), false, when);
	printf("%s\n", when);
	for (unsigned int cpu = 0; cpu < heldtab_nr_cpus(ht); cpu++) {
		any |= nr_shown(heldtab_cpu(ht, cpu), &v) > 0;
		print_cpu(ht, cpu, &v);
	}
	if (!any)
		puts("no CPU holds a lock");
	return out_flush();
}
