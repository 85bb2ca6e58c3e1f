/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* The last N of a series of failures. */
#ifndef RQSPIN_TRACE_NEWEST_H
#define RQSPIN_TRACE_NEWEST_H

#include <stddef.h>

#include "events/failure.h"

struct newest;

struct newest *newest_new(size_t most); /* NULL: no memory */
void newest_free(struct newest *n);

/* Keeps a copy, instead of the oldest one if all are in use. 0 or -ENOMEM. */
int newest_add(struct newest *n, const struct failure *f);

/* The oldest first. */
void newest_each(const struct newest *n, failure_fn fn, void *ctx);

#endif
