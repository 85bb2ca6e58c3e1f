/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Failures counted by program, lock and kind. */
#ifndef RQSPIN_SHOW_STAT_TABLE_H
#define RQSPIN_SHOW_STAT_TABLE_H

#include <linux/types.h>

struct failure;
struct locknames;
struct losses;
struct print_opts;
struct stat_table;

/* What one row sums up, beside the kind. */
enum stat_by {
	STAT_BY_ALL,  /* a loaded program and a lock */
	STAT_BY_NAME, /* programs of one name */
	STAT_BY_PROG, /* a loaded program */
	STAT_BY_LOCK, /* locks of one name */
	STAT_BY_LINE, /* a line of source */
};

/* -EINVAL: no such word */
int stat_by_parse(const char *word, enum stat_by *by);

struct stat_table *stat_table_new(enum stat_by by);
void stat_table_free(struct stat_table *t);

/* nr failures like this one. */
void stat_table_add(struct stat_table *t, const struct failure *f, __u64 nr, struct locknames *ln);

/* Failures of which nothing is known but their number. */
void stat_table_add_others(struct stat_table *t, __u64 nr);

/* nr have been lost that are like this one (NULL: others): how many of them since the last call? */
__u64 stat_table_since(struct stat_table *t, const struct failure *like, __u64 nr);

/*
 * Print what was counted since the last call, most frequent first; uncounted: what is in no row.
 * 0 or negative errno.
 */
int stat_table_print(struct stat_table *t, const struct losses *uncounted,
		     const struct print_opts *opts);

#endif
