// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include <jansson.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "base/clock.h"
#include "base/escape.h"
#include "base/json_out.h"
#include "base/out.h"
#include "names/lockname.h"
#include "output/arena_view.h"
#include "output/lock_view.h"
#include "output/print_opts.h"
#include "output/wall_time.h"

static const char *const states[] = { "free", "locked", "handed over" };

static struct lockname name_of(const struct arena_reading *r, const struct arena_lock *lock)
{
	struct lockname name = {
		.addr = r->place.start + lock->off,
		.map_id = r->map->id,
		.map_type = "arena",
		.index = -1,
		.arena = true,
	};

	memcpy(name.map, r->map->name, sizeof(name.map));
	memcpy(name.path, lock->path, sizeof(name.path));
	return name;
}

/* Locks of a byte or two have neighbours in the same word. */
static __u32 own_bits(const struct arena_lock *lock, __u32 value)
{
	return lock->size < sizeof(value) ? value & ((1U << lock->size * 8) - 1) : value;
}

static void hex_print(char buf[24], __u64 value)
{
	snprintf(buf, 24, "0x%llx", (unsigned long long)value);
}

static void said_json(json_t *j, const struct arena_lock *lock, __u32 value)
{
	struct arena_said said = arenaword_decode(lock->layout, value);
	bool queued = lock->layout == ARENA_QUEUED, tail = said.tail_cpu >= 0;
	char hex[24];

	hex_print(hex, value);
	json_object_set_new(j, "word", json_string(hex));
	json_object_set_new(j, "state", json_string(states[said.state]));
	json_object_set_new(j, "pending", queued ? json_boolean(said.pending) : json_null());
	json_object_set_new(j, "tail_cpu", tail ? json_integer(said.tail_cpu) : json_null());
	json_object_set_new(j, "tail_level", tail ? json_integer(said.tail_level) : json_null());
}

static json_t *lock_json(const struct arena_reading *r, size_t nth, bool no_addr)
{
	const struct arena_lock *lock = &r->locks->all[nth];
	const struct arena_word *w = &r->words[nth];
	struct lockname name = name_of(r, lock);
	json_t *j = json_object();

	json_object_set_new(j, "lock", lockname_json(&name, no_addr));
	json_object_set_new(j, "offset", json_integer(lock->off));
	json_object_set_new(j, "layout",
			    json_string(lock->layout == ARENA_QUEUED ? "queued" : "plain"));
	if (!w->err) {
		said_json(j, lock, own_bits(lock, w->value));
		return j;
	}
	json_object_set_new(j, "word", json_null());
	json_object_set_new(j, "state", json_null());
	json_object_set_new(j, "pending", json_null());
	json_object_set_new(j, "tail_cpu", json_null());
	json_object_set_new(j, "tail_level", json_null());
	return j;
}

static int print_json(const struct arena_reading *r, bool no_addr)
{
	json_t *locks = json_array(), *j = json_object();
	char when[40];

	wall_time(now_ns(), true, when);
	for (size_t i = 0; i < r->locks->nr; i++)
		json_array_append_new(locks, lock_json(r, i, no_addr));
	json_object_set_new(j, "schema", json_string("rqspin-arena/1"));
	json_object_set_new(j, "time", json_string(when));
	json_object_set_new(j, "map_id", json_integer(r->map->id));
	json_object_set_new(j, "map", json_text(r->map->name));
	json_object_set_new(j, "size", json_integer(r->place.size));
	json_object_set_new(j, "locks", locks);
	json_object_set_new(j, "beyond", json_integer(r->locks->beyond));
	return json_put_line(j) ?: out_flush();
}

static void print_said(const struct arena_lock *lock, __u32 value)
{
	struct arena_said said = arenaword_decode(lock->layout, value);

	printf(" %s", states[said.state]);
	if (said.pending)
		printf(", a waiter is next");
	if (said.tail_cpu >= 0)
		printf(", last in the queue is cpu %d", said.tail_cpu);
	if (said.tail_level)
		printf(" (level %u)", said.tail_level);
	if (value)
		printf(" [0x%x]", value);
}

static void print_lock(const struct arena_reading *r, size_t nth)
{
	const struct arena_lock *lock = &r->locks->all[nth];
	struct lockname name = name_of(r, lock);
	char text[LOCKNAME_PATH + sizeof(name.map)];

	lockname_text(&name, true, text, sizeof(text));
	printf("%s(map %u)", escaped(text), r->map->id);
	if (r->words[nth].err)
		printf(" has no page: nobody has touched it");
	else
		print_said(lock, own_bits(lock, r->words[nth].value));
	putchar('\n');
}

int arena_print(const struct arena_reading *r, const struct print_opts *opts)
{
	char when[40];

	if (opts->json)
		return print_json(r, opts->no_addr);
	wall_time(now_ns(), false, when);
	printf("%s\n", when);
	for (size_t i = 0; i < r->locks->nr; i++)
		print_lock(r, i);
	if (r->locks->beyond)
		printf("%zu more locks are not looked at: --word shows one by its offset\n",
		       r->locks->beyond);
	return out_flush();
}
