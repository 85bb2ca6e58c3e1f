/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* What is known of one lock. */
#ifndef RQSPIN_NAMES_NAMED_LOCK_H
#define RQSPIN_NAMES_NAMED_LOCK_H

#include <linux/types.h>
#include <stdbool.h>

#include "names/keytext.h"

#define LOCKNAME_PATH 96

/**
 * struct lockname - one lock, named
 * @addr: kernel address
 * @map_id: map it lives in, 0 if unknown (then only @addr is set)
 * @map: that map's name
 * @map_type: "array", "hash", ...
 * @internal: what the map uses the lock for ("bucket", "cpu list", "free list", "lock"), "unknown"
 *            if it is one of those, NULL if it belongs to a program
 * @index: array index, hash bucket, or CPU of a list, -1 if nothing of that
 * @key: hash key as keytext_print() writes it, "?" if it cannot be read, "" if none
 * @own: the map is the tool's own
 * @arena: the map is an arena, and @addr the lock's address in user space
 * @path: variable or field, as in "stats.lock", "" if the map has no type information; without a
 *        map a variable of the kernel
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
