/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* The rows of a snapshot: a lock, a program or a pair of them each, in the order asked for. */
#ifndef RQSPIN_TOP_ROWS_H
#define RQSPIN_TOP_ROWS_H

#include <linux/types.h>
#include <stddef.h>

#include "counts/series.h"

struct reading;
struct snapshot;

enum top_by { TOP_BY_LOCK, TOP_BY_PROG, TOP_BY_BOTH, TOP_NR_BY };

enum top_sort { TOP_FAILURES, TOP_RATE, TOP_WAIT, TOP_MAX, TOP_CONTENDED, TOP_NAME, TOP_NR_SORT };

#define TOP_KINDS    6 /* enum rqspin_kind */
#define TOP_ROW_NAME (SERIES_PROG + SERIES_LOCK + 2)

/**
 * struct top_row - series that are one row
 * @prog: the program's name; "": the row is not about programs, or the program is unknown
 * @lock: the lock's name, "" in the same way
 * @kinds: failures of each kind
 * @failures: of all kinds
 * @lost: of @failures, those that were not handed out
 * @rate: failures per second
 * @waited: failures whose wait is known
 * @wait_ns: their waits added up
 * @wait_max_ns: the longest
 * @contended: waits for the lock that are known, also those that ended well; rows of locks only
 * @latest: the series with the latest failure, NULL: none was handed out
 */
struct top_row {
	char prog[SERIES_PROG];
	char lock[SERIES_LOCK];
	__u64 kinds[TOP_KINDS];
	__u64 failures, lost;
	double rate;
	__u64 waited, wait_ns, wait_max_ns;
	const struct contended *contended;
	const struct reading *latest;
};

/* The words of --by and --sort. -EINVAL: no such word. */
int top_by_parse(const char *word, enum top_by *by);
int top_sort_parse(const char *word, enum top_sort *sort);
const char *top_by_word(enum top_by by);
const char *top_sort_word(enum top_sort sort);

/* "aa slots[0].lock", "?" if nothing is known. Not escaped. */
const char *top_row_name(const struct top_row *r, enum top_by by, char buf[TOP_ROW_NAME]);

/* The first name (the program, if the row is about both), "?" if unknown. Not escaped. */
const char *top_row_first(const struct top_row *r, enum top_by by);

/* The other name, of a lock or program; if there are several, that with most failures: "aa +2". */
const char *top_row_second(const struct snapshot *s, const struct top_row *r, enum top_by by,
			   char buf[TOP_ROW_NAME]);

/* Is the series part of this row? */
bool top_row_has(const struct top_row *r, enum top_by by, const struct series *s);

/* Fills in all but the row's names, from the series that are part of it. */
void top_row_sum(const struct snapshot *s, enum top_by by, struct top_row *r);

/*
 * @filter: only rows whose name has it, whatever the case; "": all. The largest come first, names
 * are sorted from A on. Returns an array of *nr to be freed, NULL: out of memory. It lives as long
 * as the snapshot.
 */
struct top_row *top_rows(const struct snapshot *s, enum top_by by, enum top_sort sort,
			 const char *filter, size_t *nr);

#endif
