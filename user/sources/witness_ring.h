/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Reading what the tracer's BPF programs write down: a ring and a table of counts per CPU. */
#ifndef RQSPIN_SOURCES_WITNESS_RING_H
#define RQSPIN_SOURCES_WITNESS_RING_H

#include <linux/types.h>
#include <stdbool.h>
#include <stddef.h>

#include "witness.h"

struct bpf_object;
struct failure;
struct witness_rings;

#define WITNESS_FAILURE_ROOM 512 /* bytes of a buffer that one failure takes, in all sources */

/* The maps of such an object. */
enum witness_map {
	WITNESS_MAP_HEADS,
	WITNESS_MAP_RECORDS,
	WITNESS_MAP_DETAILS,
	WITNESS_MAP_GROUPS,
	WITNESS_MAP_NAMES,
	WITNESS_NR_MAPS
};

/**
 * struct witness_memory - what is shared with the BPF programs
 * @nr: CPUs that have a part
 * @slots: records per CPU
 * @nr_details: places for details per CPU
 * @record_size: bytes of one record
 * @details_size: bytes of one place for details
 * @group_size: bytes of one group with its first record; 0: there are none
 * @names_size: bytes of what one record's names take; 0: they are not kept
 * @heads: of CPUs without a part, then one per CPU
 * @records: all CPUs' rings, one behind the other
 * @details: likewise
 * @groups: likewise, WITNESS_GROUPS per CPU
 * @names: likewise, as @records
 */
struct witness_memory {
	__u32 nr, slots, nr_details;
	size_t record_size, details_size, group_size, names_size;
	const struct witness_head *heads;
	const char *records, *details, *groups, *names;
};

/* Before loading: memory for the CPUs that are present, buffer bytes each; one in fewer details. */
int witness_prepare(struct bpf_object *obj, struct witness_shape *shape, size_t buffer,
		    unsigned int fewer_details);

const char *witness_map_name(enum witness_map which);

/*
 * After loading: over the maps with these descriptors, in the order of enum witness_map. They are
 * not taken over. NULL and errno on failure.
 */
struct witness_rings *witness_open(const int fds[WITNESS_NR_MAPS]);
/* For tests: over memory that is somebody else's. */
struct witness_rings *witness_over(const struct witness_memory *mem);

void witness_close(struct witness_rings *wr);

/*
 * w: the record, of the type that this source has; details: NULL if it has none (any more); names:
 * NULL if they are not kept, or not any more.
 */
typedef void (*witness_fn)(const struct witness *w, const void *details,
			   const struct witness_names *names, void *ctx);

/* All that are kept, each once, in no order; details: NULL. What is read stays unread. */
void witness_each(struct witness_rings *wr, witness_fn fn, void *ctx);

/* last: there will be no other call; what is not complete is lost. */
void witness_poll(struct witness_rings *wr, bool last, witness_fn fn, void *ctx);

/*
 * Overwritten before they were read, never completed, or on a CPU that has come since; as of the
 * last poll at which counts and records agreed, or that was the last.
 */
__u64 witness_lost(const struct witness_rings *wr);

/*
 * What each group has lost, as of the same polls: first is the record of its first failure.
 */
typedef void (*witness_group_fn)(const struct witness *first, __u32 group, __u64 lost, void *ctx);
void witness_groups(const struct witness_rings *wr, witness_group_fn fn, void *ctx);

/* How many groups there may be, and how many are in use: when that changes there are new ones. */
__u32 witness_groups_max(const struct witness_rings *wr);
__u64 witness_groups_used(const struct witness_rings *wr);

/* Handed out without their details, because those were overwritten. */
__u64 witness_cut(const struct witness_rings *wr);

/* Events that may have been failures. */
__u64 witness_unsure(const struct witness_rings *wr);

/* Failures ever written down, and how many of them are still there. */
__u64 witness_written(const struct witness_rings *wr, __u64 *kept);

/* When, where and who, as a failure: what every kind of witness has. */
void witness_facts(const struct witness *w, struct failure *f);

/* What ran on the owner's CPU. */
void witness_owner(const struct witness_task *t, struct failure *f);

/* When, where and who, and what its tables tell; NULL: those are not known. */
void witness_failure(const struct witness *w, const struct witness_tables *t, struct failure *f);

#endif
