/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* From the kernel address of a lock to the name its author gave it. */
#ifndef RQSPIN_NAMES_LOCKNAME_H
#define RQSPIN_NAMES_LOCKNAME_H

#include <linux/types.h>
#include <stdbool.h>
#include <stddef.h>

#include "names/named_lock.h"

struct ksyms;
struct locknames;
struct proginfo;

struct locknames *locknames_open(void);
void locknames_close(struct locknames *ln);

/*
 * From now on a lock or map has a name only if locknames_recall() recorded it or if its memory has
 * had the same owner since. Maps with ids up to newest_map existed all the time. 0 or -ENOMEM.
 */
int locknames_recall_only(struct locknames *ln, __u32 newest_map);

/*
 * Records the name that the lock had at when_ns; without an address: the map's name. 0 or -ENOMEM.
 */
int locknames_recall(struct locknames *ln, const struct lockname *name, __u64 when_ns);

/* Reads the addresses of maps created since the last call; cheap when there are none. */
void locknames_scan(struct locknames *ln);

/*
 * The lock at the address at when_ns (0: now). If several are possible, a lock in a map that prog
 * (may be NULL) uses. False: not in any map that was ever seen; name->addr is still set, perhaps
 * name->path. ln NULL: no lock has a name.
 */
bool locknames_find(struct locknames *ln, __u64 addr, __u64 when_ns, const struct proginfo *prog,
		    struct lockname *name);

/* The same without key and path, which cost system calls. */
bool locknames_map(struct locknames *ln, __u64 addr, __u64 when_ns, const struct proginfo *prog,
		   struct lockname *name);

/*
 * Returns a time from which on, up to when_ns, no address has changed its name. Looks for new maps
 * first, if that may matter for when_ns.
 */
__u64 locknames_settled(struct locknames *ln, __u64 when_ns);

/* Names some lock inside the map; which one is unknown. False: the map was never seen. */
bool locknames_inside(struct locknames *ln, __u32 map_id, struct lockname *name);

/*
 * As locknames_find(), but an address that has no name is some lock inside the map: the map may be
 * gone, and with it the name. So is address 0.
 */
bool locknames_find_inside(struct locknames *ln, __u64 addr, __u64 when_ns,
			   const struct proginfo *prog, __u32 map_id, struct lockname *name);

/* Offset from a per-CPU pointer to that CPU's copy; 0: unknown. */
__u64 locknames_percpu(const struct locknames *ln, __u32 cpu);

struct ksyms *locknames_ksyms(struct locknames *ln); /* NULL: no memory */

/* "lock_a", "locks[3].lock", "m[key 7].lock", "hash m bucket 5", else "0x..." or "lock?" */
void lockname_text(const struct lockname *name, bool no_addr, char *buf, size_t size);

/*
 * The part of the name that such locks of all elements, buckets or CPUs share: "locks[].lock",
 * "hash m bucket"
 */
void lockname_text_common(const struct lockname *name, char *buf, size_t size);

#endif
