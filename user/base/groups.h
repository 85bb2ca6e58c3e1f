/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Sums by key: rows that are found by their keys, however many there are, and kept in order. */
#ifndef RQSPIN_BASE_GROUPS_H
#define RQSPIN_BASE_GROUPS_H

#include <stdbool.h>
#include <stddef.h>

/**
 * struct groups - the rows, and where each key's row is; all zero but @size in the beginning
 * @size: bytes of a row
 * @rows: in the order in which they were added; they move when one is added
 * @nr: of @rows
 * @index: by key
 */
struct groups {
	size_t size;
	void *rows;
	size_t nr;
	struct group *index;
};

/*
 * Keys are compared byte by byte, so padding, and what follows the end of a string, must be zero.
 * This clears what follows the end of a string.
 */
void groups_pad(char *text, size_t size);

/* The row of a key, or NULL. */
void *groups_find(const struct groups *g, const void *key, size_t size);

/* The same; if there is none, it is added, all zero. @added may be NULL. NULL: no memory. */
void *groups_get(struct groups *g, const void *key, size_t size, bool *added);

void *groups_at(const struct groups *g, size_t i);

/* Drops all rows; the next ones can be added. */
void groups_clear(struct groups *g);

#endif
