/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Which of the locks inside a kernel's maps are resilient, by their types in its BTF. */
#ifndef RQSPIN_KERNEL_MAPLOCKS_H
#define RQSPIN_KERNEL_MAPLOCKS_H

#include <stdbool.h>
#include <stddef.h>

struct btf;

enum maplock {
	MAPLOCK_NONE, /* for entries that do not depend on a lock */
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
	MAPLOCK_LATER,	/* resilient, on a kernel without our series */
	MAPLOCK_SERIES, /* resilient, on a kernel with our series */
	MAPLOCK_KINDS,
	MAPLOCK_UNKNOWN = MAPLOCK_KINDS,
};

enum maplock_view {
	MAPLOCK_UNSEEN,	    /* no source of `rqspin trace` sees its failures */
	MAPLOCK_SEEN_AFTER, /* its operation is seen to fail, where fexit works */
	MAPLOCK_SEEN,	    /* the lock itself reports them */
};

/* trie_kmalloc: a trie allocates its nodes with kmalloc(), under its lock. */
struct maplocks {
	enum maplock_kind kinds[MAPLOCK_NR];
	enum maplock_view views[MAPLOCK_NR];
	bool trie_kmalloc;
};

/**
 * maplocks_read() - find out which locks are resilient
 * @btf: a kernel's BTF; NULL if there is none
 * @locks: gets the kind of each lock. MAPLOCK_NONE gets the newest of these kinds, which
 * distinguishes kernels. The lock of a map type that the kernel does not have is unknown.
 */
void maplocks_read(const struct btf *btf, struct maplocks *locks);

/*
 * Masks of enum maplock: the resilient locks, and the locks in maps of a type (enum bpf_map_type).
 */
unsigned int maplocks_resilient(const struct maplocks *locks);
unsigned int maplocks_of_type(unsigned int map_type);

/* Are the elements of such a map maps themselves, of any type? */
bool maplocks_nested(unsigned int map_type);

/* "lpm_trie, ringbuf": the map types that have locks of the mask. */
void maplocks_types(unsigned int mask, char *buf, size_t size);

/*
 * The lock whose failure shows in the result of this kernel function; MAPLOCK_NONE: no lock's does.
 */
enum maplock maplock_of_function(const char *name);

/* Has the kernel such a function, whose result says if it failed? Some return nothing. */
bool maplock_function_tells(const struct btf *btf, const char *name);

/* The number of the lock's functions that tell. */
unsigned int maplock_functions(const struct btf *btf, enum maplock lock);

/* "plain", "resilient", "unknown" */
const char *maplocks_kind(const struct maplocks *locks, enum maplock lock);

const char *maplock_id(enum maplock lock);    /* "bucket", as in errors.tsv */
const char *maplock_title(enum maplock lock); /* "the lock of a bucket" */

#endif
