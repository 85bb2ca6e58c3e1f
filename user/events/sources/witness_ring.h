/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Reads the records of the tracer's BPF programs: a ring and a table of counts per CPU. */
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

/* The maps of a tracer's object. */
enum witness_map {
	WITNESS_MAP_HEADS,
	WITNESS_MAP_RECORDS,
	WITNESS_MAP_DETAILS,
	WITNESS_MAP_GROUPS,
	WITNESS_MAP_NAMES,
	WITNESS_NR_MAPS
};

/**
 * struct witness_memory - memory shared with the BPF programs
 * @nr: CPUs that have a ring
 * @slots: records per CPU
 * @nr_details: places for details per CPU
 * @record_size: bytes of one record
 * @details_size: bytes of one place for details
 * @group_size: bytes of one group with its first record; 0: there are none
 * @names_size: bytes of the names of one record; 0: names are not kept
 * @heads: one for the CPUs without a ring, then one per CPU
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

/**
 * struct witness_room - how much the maps of an object hold
 * @buffer: bytes per CPU
 * @fewer_details: one in so many records has room for details
 * @groups: records are counted in groups
 */
struct witness_room {
	size_t buffer;
	unsigned int fewer_details;
	bool groups;
};

/* To be called before loading: sizes the maps for the CPUs that are present. */
int witness_prepare(struct bpf_object *obj, struct witness_shape *shape,
		    const struct witness_room *room);

const char *witness_map_name(enum witness_map which);

/*
 * To be called after loading: opens the maps with these descriptors, in the order of enum
 * witness_map. The caller keeps the descriptors. NULL and errno on failure.
 */
struct witness_rings *witness_open(const int fds[WITNESS_NR_MAPS]);
/* For tests: reads memory that the caller owns. */
struct witness_rings *witness_over(const struct witness_memory *mem);

void witness_close(struct witness_rings *wr);

/*
 * w: the record, of the type that this source has; details: NULL if it has none, or they are
 * overwritten; names: NULL if they are not kept, or are overwritten.
 */
typedef void (*witness_fn)(const struct witness *w, const void *details,
			   const struct witness_names *names, void *ctx);

/*
 * Passes all records in the rings to fn, each once, in no order, without details. They still count
 * as unread.
 */
void witness_each(struct witness_rings *wr, witness_fn fn, void *ctx);

/* Passes new records to fn. last: there will be no other call; incomplete records are lost. */
void witness_poll(struct witness_rings *wr, bool last, witness_fn fn, void *ctx);

/*
 * Failures that were overwritten before they were read, never completed, or on a CPU without a
 * ring, which was not present at the start. As of the last poll at which counts and records agreed,
 * or that was the last.
 */
__u64 witness_lost(const struct witness_rings *wr);

/*
 * Passes the losses of each group to fn, as of the same polls. first: the record of its first
 * failure.
 */
typedef void (*witness_group_fn)(const struct witness *first, __u32 group, __u64 lost, void *ctx);
void witness_groups(const struct witness_rings *wr, witness_group_fn fn, void *ctx);

/*
 * The largest possible number of groups, and the number in use, which changes with each new group.
 */
__u32 witness_groups_max(const struct witness_rings *wr);
__u64 witness_groups_used(const struct witness_rings *wr);

/* Records that were handed out without their details, because the details were overwritten. */
__u64 witness_cut(const struct witness_rings *wr);

/* Events that may have been failures. */
__u64 witness_unsure(const struct witness_rings *wr);

/* Failures ever recorded. *kept: how many of them are still in the rings. */
__u64 witness_written(const struct witness_rings *wr, __u64 *kept);

/* Sets time, CPU, task and the other facts that every kind of record has. */
void witness_facts(const struct witness *w, struct failure *f);

/* Sets the owner: the task that ran on the owner's CPU. */
void witness_owner(const struct witness_task *t, struct failure *f);

/* The same, and kind, held locks and owner by the tables t; NULL: the tables are unknown. */
void witness_failure(const struct witness *w, const struct witness_tables *t, struct failure *f);

#endif
