/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Counters by name, and lists of them, the largest first. */
#ifndef RQSPIN_REPORT_RANK_H
#define RQSPIN_REPORT_RANK_H

#include <jansson.h>
#include <stddef.h>

#define RANK_NAMES 10000 /* of a table; a file may have any number */
#define RANK_KINDS 32
#define RANK_REST  "(others)" /* those beyond it, as one */

/* The name, or RANK_REST if it would be one more than that many. */
const char *rank_key(const json_t *table, const char *name, size_t most);

/* table[name] = row, which goes over to the table. The row; NULL without memory: then it is gone.
 */
json_t *rank_put(json_t *table, const char *name, json_t *row);

/* object[member] += nr; does nothing if there is no object. */
void rank_add(json_t *object, const char *member, unsigned long long nr);

/* table[name], with a count and counts by kind, grows by so many. */
void rank_count(json_t *table, const char *name, const char *kind, unsigned long long nr);

/* Puts a row, as of rank_count(), into a table; its counts are added if the name is there. */
void rank_merge(json_t *table, const char *name, const json_t *row);

/* A list of objects with "count", the largest first; those alike by "name". */
void rank_sort(json_t *list);

/*
 * A table as such a list with names in it: the first of it, as many as that. "more": how many the
 * others are, "more_count": their sum.
 */
json_t *rank_top(const json_t *table, size_t most);

#endif
