/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* JSON on standard output. */
#ifndef RQSPIN_BASE_JSON_OUT_H
#define RQSPIN_BASE_JSON_OUT_H

#include <jansson.h>

/* null if empty; never invalid UTF-8: names come from outside and may hold any byte. */
json_t *json_text(const char *s);

/*
 * Both print j and free it. json_put_line(): one line; 0 or a negative errno of the output so far.
 */
int json_put_line(json_t *j);
void json_put_pretty(json_t *j);

#endif
