/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* One failure as a line of text, with its report below it if stacks are wanted. */
#ifndef RQSPIN_SHOW_FAILURE_TEXT_H
#define RQSPIN_SHOW_FAILURE_TEXT_H

#include <stdbool.h>

#define KIND_TEXT 32 /* "UNKNOWN(ENOTRECOVERABLE)", "CYCLE 4294967295" */

struct failure;
struct lock_view;
struct rqspin_event;
struct trace_totals;

/* Kind, with the length of a cycle, or with the errno where no kind is known. Returns text. */
const char *kind_text(const struct rqspin_event *ev, char text[KIND_TEXT]);

/* What failures differ in that are alike otherwise, time and wait, is not part of the body. */
char *failure_text_body(const struct failure *f, const struct lock_view *v); /* NULL: no memory */
int failure_text(const struct failure *f, const char *body, bool stacks);

/* "12 more  ABBA ...": of failures like this one. */
int repeat_text(const struct failure *f, const struct lock_view *v, unsigned long long again);

/* On standard error: it is no data. */
void summary_text(const struct trace_totals *t);

#endif
