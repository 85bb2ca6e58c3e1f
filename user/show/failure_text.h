/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* One failure as a line of text, with its report below it if stacks are wanted. */
#ifndef RQSPIN_SHOW_FAILURE_TEXT_H
#define RQSPIN_SHOW_FAILURE_TEXT_H

#include <stdbool.h>

struct failure;
struct lock_view;
struct trace_totals;

int failure_text(const struct failure *f, const struct lock_view *v, bool stacks);

/* "12 more  ABBA ...": of failures like this one. */
int repeat_text(const struct failure *f, const struct lock_view *v, unsigned long long again);

/* On standard error: it is no data. */
void summary_text(const struct trace_totals *t);

#endif
