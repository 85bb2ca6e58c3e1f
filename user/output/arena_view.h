/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* The words of an arena's locks as text and JSON (docs/arena.schema.json). */
#ifndef RQSPIN_SHOW_ARENA_VIEW_H
#define RQSPIN_SHOW_ARENA_VIEW_H

#include "arenawords.h"
#include "names/arenalocks.h"
#include "names/arenamap.h"

struct print_opts;

/**
 * struct arena_reading - words that were read together
 * @map: the arena's map
 * @place: where it is mapped
 * @locks: its locks
 * @words: their words, in the same order
 */
struct arena_reading {
	const struct arenamap *map;
	struct arena place;
	const struct arena_locks *locks;
	const struct arena_word *words;
};

/* 0 or negative errno of the output. */
int arena_print(const struct arena_reading *r, const struct print_opts *opts);

#endif
