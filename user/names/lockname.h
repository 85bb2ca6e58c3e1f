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
 * From now on only what was told by locknames_recall() has a name, and what has not changed hands
 * since: maps up to the id newest_map were there all the time. 0 or -ENOMEM.
 */
int locknames_recall_only(struct locknames *ln, __u32 newest_map);

/* The lock had this name then; without an address: the map had. 0 or -ENOMEM. */
int locknames_recall(struct locknames *ln, const struct lockname *name, __u64 when_ns);

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

/* What such locks of all elements, buckets or CPUs have in common: "locks[].lock", "hash m bucket"
 */
void lockname_text_common(const struct lockname *name, char *buf, size_t size);

#endif
