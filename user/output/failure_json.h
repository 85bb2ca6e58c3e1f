/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* One failure as a line of JSON (docs/events.schema.json). */
#ifndef RQSPIN_SHOW_FAILURE_JSON_H
#define RQSPIN_SHOW_FAILURE_JSON_H

#include <jansson.h>
#include <linux/types.h>
#include <stdbool.h>

struct failure;
struct lock_view;
struct losses;
struct session;
struct trace_totals;

/* The body lacks time and wait: failures that are otherwise alike differ in these. */
char *failure_json_body(const struct failure *f, const struct lock_view *v,
			bool stacks); /* NULL: no memory */
int failure_json(const struct failure *f, const char *body);
json_t *failure_json_object(const char *body, __u64 ts_ns, __u64 wait_ns); /* NULL: no memory */
int repeat_json(const struct failure *f, const struct lock_view *v, unsigned long long again);
int summary_json(struct session *s, const struct trace_totals *t);

/* Who failed, or waited, into an object. */
void failure_who_json(json_t *j, const struct failure *f);
json_t *failure_at_json(const struct failure *f);

void losses_json(json_t *j, const struct losses *l); /* into an object */

#endif
