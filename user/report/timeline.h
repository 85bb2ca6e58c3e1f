/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* When failures happened: how many of each kind in equal stretches of time. */
#ifndef RQSPIN_REPORT_TIMELINE_H
#define RQSPIN_REPORT_TIMELINE_H

#include <jansson.h>
#include <stddef.h>
#include <stdint.h>

#define TIMELINE_BINS 120

struct moment {
	int64_t us; /* since 1970 */
	char kind[16];
};

struct timeline {
	struct moment *moments;
	size_t nr, room;
};

/* "2026-11-21T12:00:00.123456Z". 0; -EINVAL: no such time; -ENOMEM. */
int timeline_add(struct timeline *t, const char *time, const char *kind);
void timeline_free(struct timeline *t);

/* {"start_us", "width_us", "bins": [{"AA": 3}, ...]}; null without failures. */
json_t *timeline_json(const struct timeline *t);

#endif
