/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* From the kernel address of a lock to the name its author gave it. */
#ifndef RQSPIN_NAMES_LOCKNAME_H
#define RQSPIN_NAMES_LOCKNAME_H

#include <linux/types.h>
#include <stdbool.h>
#include <stddef.h>

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

struct ksyms;
struct locknames;
struct proginfo;

struct locknames *locknames_open(void);
void locknames_close(struct locknames *ln);

/* Read the addresses of maps made since the last call; cheap when there are none. */
void locknames_scan(struct locknames *ln);

/*
 * The lock that had the address then (when_ns 0: has it now), of several those that prog uses (may
 * be NULL). False: not in any map that was ever seen; name->addr is still set, perhaps name->path.
 * ln NULL: nothing has a name.
 */
bool locknames_find(struct locknames *ln, __u64 addr, __u64 when_ns, const struct proginfo *prog,
		    struct lockname *name);

/* The same without key and path, which cost system calls. */
bool locknames_map(struct locknames *ln, __u64 addr, __u64 when_ns, const struct proginfo *prog,
		   struct lockname *name);

/*
 * No address that is looked up for a moment after this one (and up to when_ns) has had another name
 * in between. Looks for new maps first, if that may matter for when_ns.
 */
__u64 locknames_settled(struct locknames *ln, __u64 when_ns);

/* Some lock inside the map, which one is not known. False: a map that was never seen. */
bool locknames_inside(struct locknames *ln, __u32 map_id, struct lockname *name);

/* From a per-CPU pointer to that CPU's copy; 0: the kernel does not tell. */
__u64 locknames_percpu(const struct locknames *ln, __u32 cpu);

struct ksyms *locknames_ksyms(struct locknames *ln); /* NULL: no memory */

/* "lock_a", "locks[3].lock", "m[key 7].lock", "hash m bucket 5", else "0x..." or "lock?" */
void lockname_text(const struct lockname *name, bool no_addr, char *buf, size_t size);

#endif
