/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Counters by name, and lists of them, the largest first. */
#ifndef RQSPIN_REPORT_RANK_H
#define RQSPIN_REPORT_RANK_H

#include <jansson.h>
#include <stddef.h>

#define RANK_NAMES 10000 /* in a table; a file may have any number */
#define RANK_KINDS 32
#define RANK_REST  "(others)" /* all names beyond a limit, as one */

/* Returns the name, or RANK_REST if the table has @most other names. */
const char *rank_key(const json_t *table, const char *name, size_t most);

/*
 * table[name] = row; the table takes the row over. Returns the row; NULL without memory: then the
 * row is gone.
 */
json_t *rank_put(json_t *table, const char *name, json_t *row);

/* object[member] += nr; does nothing if there is no object. */
void rank_add(json_t *object, const char *member, unsigned long long nr);

/* Adds @nr to table[name], which has a count and counts by kind. */
void rank_count(json_t *table, const char *name, const char *kind, unsigned long long nr);

/* Puts a row, as of rank_count(), into a table; its counts are added if the name is there. */
void rank_merge(json_t *table, const char *name, const json_t *row);

/* Sorts a list of objects by "count", the largest first; those with the same count by "name". */
void rank_sort(json_t *list);

/*
 * A table as such a list, with names in it, cut to @most rows. "more": the number of the other
 * rows, "more_count": the sum of their counts.
 */
json_t *rank_top(const json_t *table, size_t most);

#endif
