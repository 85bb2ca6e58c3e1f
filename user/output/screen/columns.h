/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Rows and the lines above them as text of fixed columns: for the screen and for --batch. */
#ifndef RQSPIN_TOP_COLUMNS_H
#define RQSPIN_TOP_COLUMNS_H

#include <stdbool.h>
#include <stddef.h>

#include "output/screen/rows.h"

struct snapshot;

#define TOP_NUMBERS 128 /* room for the numbers of a row */

/**
 * struct top_layout - which columns there are, and how wide
 * @waits: there are columns for contention
 * @failing: there are columns for how long failed acquisitions waited; not if no source reports
 * that
 * @first: width of the names that the rows are about
 * @second: width of the other names
 * @latest: width of the latest failure, 0: no such column
 */
struct top_layout {
	bool waits, failing;
	int first, second, latest;
};

/* @width: of the screen; 0: as wide as the names need, without the latest failures. */
struct top_layout top_layout_of(const struct snapshot *s, enum top_by by,
				const struct top_row *rows, size_t nr, int width);

/* Each returns an escaped line, at most as wide as the layout. To be freed. */
char *top_heads(const struct top_layout *l, enum top_by by);
char *top_line(const struct top_layout *l, const struct snapshot *s, enum top_by by,
	       const struct top_row *r);

/* "104 failures, 12.0/s", and how many failures and waits are in no row. */
void top_sums(const struct snapshot *s, char *buf, size_t size);

#endif
