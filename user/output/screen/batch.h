/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* top without a screen: a table at each refresh, as text or JSON (docs/top.schema.json). */
#ifndef RQSPIN_TOP_BATCH_H
#define RQSPIN_TOP_BATCH_H

#include <stdbool.h>

#include "output/screen/rows.h"

struct snapshot;

/* 0 or negative errno of the output, or -ENOMEM. @sources: the text of session_sources(). */
int top_batch(const struct snapshot *s, enum top_by by, enum top_sort sort, const char *sources,
	      bool json);

#endif
