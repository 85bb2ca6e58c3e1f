/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The locks among the variables of an arena. A lock is what RES_ARENA_DEFINE() names in the
 * object, and what has a type that is called a lock: "my_lock", "arena_spinlock_t".
 */
#ifndef RQSPIN_NAMES_ARENALOCKS_H
#define RQSPIN_NAMES_ARENALOCKS_H

#include <linux/types.h>
#include <stdbool.h>
#include <stddef.h>

#include "names/arenaword.h"
#include "names/named_lock.h"

#define ARENALOCKS_MAX 65536

struct btf;

/**
 * struct arena_lock - a lock in an arena
 * @off: bytes from the start of the arena
 * @size: bytes of its word, 1 to 4
 * @layout: what the word means
 * @path: "cells[1].lock"; "+0x1040" if it is in no variable
 */
struct arena_lock {
	__u64 off;
	__u32 size;
	enum arena_layout layout;
	char path[LOCKNAME_PATH];
};

/**
 * struct arena_locks - locks of an arena, by offset
 * @all: the first ARENALOCKS_MAX of them, from malloc()
 * @nr: how many
 * @beyond: locks that found no room
 * @known: does @usual come from type information?
 * @usual: layout of a lock that is in no variable; begin with ARENA_QUEUED
 */
struct arena_locks {
	struct arena_lock *all;
	size_t nr, beyond;
	bool known;
	enum arena_layout usual;
};

/* Learns from the BTF of an object how its locks look that are in no variable. */
void arenalocks_learn(struct arena_locks *locks, const struct btf *btf);

/*
 * Adds the locks of a section of variables, by its id in btf, that begins at the offset. 0 or
 * -ENOMEM.
 */
int arenalocks_add(struct arena_locks *locks, const struct btf *btf, __u32 section, __u64 begin);

void arenalocks_free(struct arena_locks *locks);

#endif
