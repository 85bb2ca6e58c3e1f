/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* All that is known of one row, as lines of text. */
#ifndef RQSPIN_TOP_DETAIL_H
#define RQSPIN_TOP_DETAIL_H

#include "output/screen/rows.h"

struct snapshot;

/* Returns lines with a newline at their ends, to be freed; NULL: out of memory. */
char *top_detail(const struct snapshot *s, const struct top_row *row, enum top_by by);

#endif
