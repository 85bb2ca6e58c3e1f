/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Pieces of JSON that all tracing verbs print alike. */
#ifndef RQSPIN_TRACE_JSON_H
#define RQSPIN_TRACE_JSON_H

#include <jansson.h>
#include <linux/types.h>

struct print_opts;
struct session;
struct lockname;
struct losses;
struct locknames;

json_t *json_text(const char *s); /* null if empty; never invalid UTF-8 */
json_t *lockname_json(const struct lockname *n, const struct print_opts *opts);
json_t *lock_json(struct locknames *ln, __u64 addr, const struct print_opts *opts);

void json_losses(json_t *j, const struct losses *l); /* into an object */

/* Print on one line, flush and free; 0 or negative errno of the output. */
int json_put_line(json_t *j);

#endif
