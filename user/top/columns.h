/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Rows and the lines above them as text of fixed columns: for the screen and for --batch. */
#ifndef RQSPIN_TOP_COLUMNS_H
#define RQSPIN_TOP_COLUMNS_H

#include <stddef.h>

#include "top/rows.h"

struct snapshot;

#define TOP_COLUMNS 128 /* room for the numbers of a row */

/* The numbers of a row; its name follows after two spaces. waits: with those of contention. */
void top_columns(const struct top_row *r, bool waits, char buf[TOP_COLUMNS]);
/* The same of the line above: its last column is the name of the rows. */
void top_heads(enum top_by by, bool waits, char *buf, size_t size);

/* "104 failures, 12.0/s", and how many of them are not what rows are made of. */
void top_sums(const struct snapshot *s, char *buf, size_t size);

#endif
