/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Which of the locks inside a kernel's maps are resilient: its BTF knows their types. */
#ifndef RQSPIN_KERNEL_MAPLOCKS_H
#define RQSPIN_KERNEL_MAPLOCKS_H

#include <stdbool.h>
#include <stddef.h>

struct btf;

enum maplock {
	MAPLOCK_NONE, /* of what does not depend on a lock */
	MAPLOCK_BUCKET,
	MAPLOCK_FREELIST,
	MAPLOCK_LRU,
	MAPLOCK_LPM,
	MAPLOCK_QUEUE,
	MAPLOCK_RINGBUF,
	MAPLOCK_STORAGE,
	MAPLOCK_ARENA,
	MAPLOCK_NR,
};

enum maplock_kind {
	MAPLOCK_PLAIN,	/* it cannot fail */
	MAPLOCK_LATER,	/* resilient, on a kernel of others */
	MAPLOCK_SERIES, /* resilient, on a kernel with our series */
	MAPLOCK_KINDS,
	MAPLOCK_UNKNOWN = MAPLOCK_KINDS,
};

enum maplock_view {
	MAPLOCK_UNSEEN,	    /* no source of `rqspin trace` sees that it failed */
	MAPLOCK_SEEN_AFTER, /* when the operation that wanted it has failed, where fexit works */
	MAPLOCK_SEEN,	    /* the lock itself tells */
};

/* trie_kmalloc: a trie allocates its nodes with kmalloc(), under its lock. */
struct maplocks {
	enum maplock_kind kinds[MAPLOCK_NR];
	enum maplock_view views[MAPLOCK_NR];
	bool trie_kmalloc;
};

/**
 * maplocks_read() - find out which locks are resilient
 * @btf: of a kernel; NULL if there is none
 * @locks: gets the kind of each. That of MAPLOCK_NONE is the newest of them: it tells kernels
 *apart. A kernel without a map type does not know the type's lock: unknown.
 */
void maplocks_read(const struct btf *btf, struct maplocks *locks);

/* Masks of enum maplock: the resilient ones, and those that maps of a type have (enum
 * bpf_map_type). */
unsigned int maplocks_resilient(const struct maplocks *locks);
unsigned int maplocks_of_type(unsigned int map_type);

/* Is it a map whose elements are maps, which may have any type? */
bool maplocks_nested(unsigned int map_type);

/* "lpm_trie, ringbuf": the map types that have locks of the mask. */
void maplocks_types(unsigned int mask, char *buf, size_t size);

/* The lock whose failure shows in the result of this function of the kernel; NONE: of none. */
enum maplock maplock_of_function(const char *name);

/* "plain", "resilient", "unknown" */
const char *maplocks_kind(const struct maplocks *locks, enum maplock lock);

const char *maplock_id(enum maplock lock);    /* "bucket", as in errors.tsv */
const char *maplock_title(enum maplock lock); /* "the lock of a bucket" */

#endif
