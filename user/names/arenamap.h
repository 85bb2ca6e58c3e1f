/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* A loaded arena, as users name it, and its locks. */
#ifndef RQSPIN_NAMES_ARENAMAP_H
#define RQSPIN_NAMES_ARENAMAP_H

#include <linux/types.h>
#include <stddef.h>

#include "names/arenalocks.h"
#include "names/arenaname.h"

struct arenamap {
	__u32 id;
	char name[16];
};

/*
 * The arena with this id or name. 0 or -errno; why gets one line: there is none, or there are
 * several of this name.
 */
int arenamap_find(const char *asked, struct arenamap *map, char *why, size_t size);

/* Adds the locks that the types of loaded programs show. 0 or -ENOMEM. */
int arenamap_locks(__u32 map_id, const struct arena *arena, struct arena_locks *locks);

/*
 * Keeps the locks that are asked for, and adds those that no type shows. A place is a path, whole
 * or its beginning ("cells" for "cells[1].lock"), an offset ("0x1040"), or an offset as trace shows
 * it ("arena+0x1040"). 0 or -errno; why gets one line.
 */
int arenamap_choose(const struct arenamap *map, __u64 arena_size, const char *const *places,
		    size_t nr, struct arena_locks *locks, char *why, size_t size);

#endif
