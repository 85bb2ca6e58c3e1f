/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* The name of one lock, with its parts. */
#ifndef RQSPIN_NAMES_NAMED_LOCK_H
#define RQSPIN_NAMES_NAMED_LOCK_H

#include <linux/types.h>
#include <stdbool.h>

#include "names/keytext.h"

#define LOCKNAME_PATH 96

/**
 * struct lockname - one lock, named
 * @addr: kernel address
 * @map_id: map that contains the lock; 0 if unknown (then only @addr, and perhaps @path, is set)
 * @map: that map's name
 * @map_type: "array", "hash", ...
 * @internal: the purpose of the lock if it is the map's own ("bucket", "cpu list", "free list",
 * "lock"; "unknown": one of these), NULL if it belongs to a program
 * @index: array index, hash bucket, or CPU of a list; -1 if none of these
 * @key: hash key in the form of keytext_print(); "?" if it cannot be read, "" if there is none
 * @own: the map is the tool's own
 * @arena: the map is an arena; @addr is the lock's address in user space
 * @path: variable or field, as in "stats.lock"; "" if the map has no type information. Without a
 * map: a variable of the kernel
 */
struct lockname {
	__u64 addr;
	__u32 map_id;
	char map[16];
	const char *map_type;
	const char *internal;
	__s64 index;
	char key[KEYTEXT_SIZE];
	char path[LOCKNAME_PATH];
	bool own, arena;
};

#endif
