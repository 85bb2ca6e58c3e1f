/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* When failures happened: how many of each kind in equal stretches of time. */
#ifndef RQSPIN_REPORT_TIMELINE_H
#define RQSPIN_REPORT_TIMELINE_H

#include <jansson.h>
#include <stddef.h>
#include <stdint.h>

#define TIMELINE_BINS	 120
#define TIMELINE_MOMENTS (1 << 20) /* moments that are kept apart */

/**
 * struct moment - failures of one kind at one time
 * @us: since 1970
 * @count: how many
 */
struct moment {
	int64_t us;
	unsigned long long count;
	char kind[16];
};

/**
 * struct timeline - all moments
 * @most: at so many moments, those that are close together become one; 0: TIMELINE_MOMENTS
 * @step_us: the distance of moments that become one; it doubles until half of the room is free
 * @first, @last: times of the first and the last failure
 */
struct timeline {
	struct moment *moments;
	size_t nr, most;
	int64_t step_us, first, last;
};

/* "2026-11-21T12:00:00.123456Z" as microseconds since 1970. 0 or -EINVAL. */
int timeline_us(const char *text, int64_t *us);

/* Adds a failure at such a time. Returns 0; -EINVAL: there is no such time; -ENOMEM. */
int timeline_add(struct timeline *t, const char *time, const char *kind);
void timeline_free(struct timeline *t);

/* {"start_us", "width_us", "bins": [{"AA": 3}, ...]}; null without failures. */
json_t *timeline_json(const struct timeline *t);

#endif
