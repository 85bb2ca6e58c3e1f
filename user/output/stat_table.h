/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Failures counted by program, lock and kind. */
#ifndef RQSPIN_SHOW_STAT_TABLE_H
#define RQSPIN_SHOW_STAT_TABLE_H

#include <linux/types.h>
#include <stdbool.h>
#include <stddef.h>

#include "base/groups.h"
#include "names/lockname.h"

struct failure;

/* What one row sums up, beside the kind. */
enum stat_by {
	STAT_BY_ALL,  /* a loaded program and a lock */
	STAT_BY_NAME, /* programs of one name */
	STAT_BY_PROG, /* a loaded program */
	STAT_BY_LOCK, /* locks of one name */
	STAT_BY_LINE, /* a line of source */
};

/**
 * struct stat_row - failures that are alike; members that are not part of the key are empty
 * @prog_id: 0 if unknown
 * @map_id: of a lock inside a map whose address is unknown
 * @kind: enum rqspin_kind
 * @parties: of a cycle
 * @others: only the number of these failures is known
 * @lock: the lock when it failed: its map may be gone by now
 * @count: how many there were
 * @prog: the program's name
 * @at: "file.bpf.c:53"
 */
struct stat_row {
	__u32 prog_id, map_id, kind, parties;
	bool others;
	struct lockname lock;
	__u64 count;
	char prog[64];
	char at[80];
};

/**
 * struct stat_table - what was counted since the last table was printed
 * @by: what a row sums up
 * @groups: the rows
 * @dropped: failures without memory to count them
 * @before: how many failures were lost up to the last table, by what they are like
 */
struct stat_table {
	enum stat_by by;
	struct groups groups;
	__u64 dropped;
	struct groups before;
};

/* -EINVAL: no such word */
int stat_by_parse(const char *word, enum stat_by *by);

struct stat_table *stat_table_new(enum stat_by by);
void stat_table_free(struct stat_table *t);

/* Count @nr failures like this one. */
void stat_table_add(struct stat_table *t, const struct failure *f, __u64 nr, struct locknames *ln);

/* Count failures of which only the number is known. */
void stat_table_add_others(struct stat_table *t, __u64 nr);

/* By now nr failures like this one (NULL: others) are lost: how many since the last call? */
__u64 stat_table_since(struct stat_table *t, const struct failure *like, __u64 nr);

size_t stat_table_nr(const struct stat_table *t);
const struct stat_row *stat_table_at(const struct stat_table *t, size_t i);

/* The largest count first. Nothing can be added until the next table. */
void stat_table_sort(struct stat_table *t);

/* Begin the next table. */
void stat_table_clear(struct stat_table *t);

#endif
