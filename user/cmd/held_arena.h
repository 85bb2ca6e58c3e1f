/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* `rqspin held --arena`: the words of the locks in an arena. */
#ifndef RQSPIN_HELD_ARENA_H
#define RQSPIN_HELD_ARENA_H

#include <stddef.h>

struct held_arena;
struct print_opts;

/* Options of held that choose an arena and its words. */
struct held_arena_opts {
	const char *map;
	const char **words;
	size_t nr_words;
};

/* NULL after a message; *err is -errno then. */
struct held_arena *held_arena_open(const struct held_arena_opts *opts, int *err);
void held_arena_close(struct held_arena *ha);

/* Reads and prints once. 0 or -errno after a message; *out_err gets that of the output. */
int held_arena_look(struct held_arena *ha, const struct print_opts *print, int *out_err);

#endif
