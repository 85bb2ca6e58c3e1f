// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include <errno.h>
#include <jansson.h>
#include <stdbool.h>
#include <stdio.h>

#include "clock.h"
#include "held_view.h"
#include "heldtab.h"
#include "lockname.h"
#include "trace_json.h"
#include "trace_print.h"

static unsigned int recorded(const struct held_cpu *c)
{
	return c->nr < HELD_ENTRIES ? c->nr : HELD_ENTRIES;
}

enum held_state held_state(const struct heldtab *ht, unsigned int cpu, unsigned int nth)
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

static json_t *cpu_json(const struct heldtab *ht, unsigned int cpu, struct locknames *ln,
			const struct print_opts *opts)
{
	static const char *const states[] = { "holds", "waits", NULL };
	const struct held_cpu *c = heldtab_cpu(ht, cpu);
	json_t *locks = json_array(), *j = json_object();

	for (unsigned int i = 0; i < recorded(c); i++) {
		json_t *lock = json_object();

		json_object_set_new(lock, "lock", lock_json(ln, c->locks[i], opts));
		json_object_set_new(lock, "state", json_text(states[held_state(ht, cpu, i)]));
		json_array_append_new(locks, lock);
	}
	json_object_set_new(j, "cpu", json_integer(cpu));
	json_object_set_new(j, "nr", json_integer(c->nr));
	json_object_set_new(j, "locks", locks);
	return j;
}

static int print_json(const struct heldtab *ht, struct locknames *ln, const struct print_opts *opts)
{
	json_t *cpus = json_array(), *j = json_object();
	char when[40];

	wall_time(now_ns(), true, when);
	for (unsigned int cpu = 0; cpu < heldtab_nr_cpus(ht); cpu++)
		if (heldtab_cpu(ht, cpu)->nr)
			json_array_append_new(cpus, cpu_json(ht, cpu, ln, opts));
	json_object_set_new(j, "schema", json_string("rqspin-held/1"));
	json_object_set_new(j, "time", json_string(when));
	json_object_set_new(j, "cpus", cpus);
	return json_put_line(j);
}

static void print_cpu(const struct heldtab *ht, unsigned int cpu, struct locknames *ln,
		      const struct print_opts *opts)
{
	static const char *const states[] = { "holds", "waits for", "holds or waits for" };
	const struct held_cpu *c = heldtab_cpu(ht, cpu);

	for (unsigned int i = 0; i < recorded(c); i++) {
		struct lockname name;
		char text[320];

		locknames_find(ln, c->locks[i], &name);
		lockname_text(&name, opts->no_addr, text, sizeof(text));
		printf("cpu %-3u %s %s", cpu, states[held_state(ht, cpu, i)], text);
		if (name.map_id)
			printf("(map %u)", name.map_id);
		putchar('\n');
	}
	if (c->nr > HELD_ENTRIES)
		printf("cpu %-3u holds %u more that the kernel does not record\n", cpu,
		       c->nr - HELD_ENTRIES);
}

int held_print(const struct heldtab *ht, struct locknames *ln, const struct print_opts *opts)
{
	bool any = false;
	char when[40];

	if (opts->json)
		return print_json(ht, ln, opts);
	wall_time(now_ns(), false, when);
	printf("%s\n", when);
	for (unsigned int cpu = 0; cpu < heldtab_nr_cpus(ht); cpu++) {
		any |= heldtab_cpu(ht, cpu)->nr;
		print_cpu(ht, cpu, ln, opts);
	}
	if (!any)
		puts("no CPU holds a lock");
	errno = 0;
	return fflush(stdout) || ferror(stdout) ? -(errno ? errno : EIO) : 0;
}
