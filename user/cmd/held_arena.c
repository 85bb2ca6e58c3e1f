// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../base/escape.h"
#include "../base/log.h"
#include "held_arena.h"
#include "../kernel/arenamem.h"
#include "../names/arenalocks.h"
#include "../names/arenamap.h"
#include "../names/arenaname.h"
#include "../output/arena_view.h"

#define WHY 320

struct held_arena {
	struct arenamap map;
	struct arenamem *mem;
	struct arena place;
	struct arena_locks locks;
	struct arena_word *words;
};

static int locks_find(struct held_arena *ha, const struct held_arena_opts *opts, char *why)
{
	int err = arenamap_locks(ha->map.id, &ha->place, &ha->locks);

	snprintf(why, WHY, "out of memory");
	if (!err)
		err = arenamap_choose(&ha->map, ha->place.size, opts->words, opts->nr_words,
				      &ha->locks, why, WHY);
	if (err)
		return err;
	if (!ha->locks.nr) {
		snprintf(why, WHY,
			 "no loaded program shows a variable of it that is a lock: name words by "
			 "their offset, as in --word 0x1040");
		return -ENOENT;
	}
	ha->words = calloc(ha->locks.nr, sizeof(*ha->words));
	return ha->words ? 0 : -ENOMEM;
}

static int parts_open(struct held_arena *ha, const struct held_arena_opts *opts, char *why)
{
	int err = arenamap_find(opts->map, &ha->map, why, WHY);

	if (err)
		return err;
	ha->mem = arenamem_open(ha->map.id, why, WHY);
	if (!ha->mem)
		return -errno;
	ha->place = (struct arena){ arenamem_start(ha->mem), arenamem_size(ha->mem) };
	return locks_find(ha, opts, why);
}

struct held_arena *held_arena_open(const struct held_arena_opts *opts, int *err)
{
	struct held_arena *ha = calloc(1, sizeof(*ha));
	char why[WHY] = "out of memory";

	*err = ha ? 0 : -ENOMEM;
	if (ha) {
		ha->locks.usual = ARENA_QUEUED;
		*err = parts_open(ha, opts, why);
	}
	if (!*err)
		return ha;
	pr_err("--arena %s: %s", escaped(opts->map), why);
	held_arena_close(ha);
	return NULL;
}

void held_arena_close(struct held_arena *ha)
{
	if (!ha)
		return;
	arenamem_close(ha->mem);
	arenalocks_free(&ha->locks);
	free(ha->words);
	free(ha);
}

int held_arena_look(struct held_arena *ha, const struct print_opts *print, int *out_err)
{
	const struct arena_reading reading = { &ha->map, ha->place, &ha->locks, ha->words };
	int err;

	for (size_t i = 0; i < ha->locks.nr; i++)
		ha->words[i] = (struct arena_word){ .off = ha->locks.all[i].off,
						    .size = ha->locks.all[i].size };
	err = arenamem_read(ha->mem, ha->words, ha->locks.nr);
	if (err) {
		pr_err("the arena cannot be read: %s", strerror(-err));
		return err;
	}
	*out_err = arena_print(&reading, print);
	return 0;
}
