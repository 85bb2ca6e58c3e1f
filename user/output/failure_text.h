/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* One failure as a line of text, with its report below it if stacks are wanted. */
#ifndef RQSPIN_SHOW_FAILURE_TEXT_H
#define RQSPIN_SHOW_FAILURE_TEXT_H

#include <stdbool.h>
#include <stdio.h>

#define KIND_TEXT 32 /* "UNKNOWN(ENOTRECOVERABLE)", "CYCLE 4294967295" */

struct failure;
struct lock_view;
struct rqspin_event;
struct trace_totals;

/* Kind, with the length of a cycle, or with the errno where no kind is known. Returns text. */
const char *kind_text(const struct rqspin_event *ev, char text[KIND_TEXT]);

/* The body lacks time and wait: failures that are otherwise alike differ in these. */
char *failure_text_body(const struct failure *f, const struct lock_view *v); /* NULL: no memory */
int failure_text(const struct failure *f, const char *body, bool stacks);

/* "12 more  ABBA ...": so many failures like this one came again. */
int repeat_text(const struct failure *f, const struct lock_view *v, unsigned long long again);

/* "cpu 0 rqspin/492 prog 85 aa at aa.bpf.c:41" */
void failure_who_put(FILE *out, const struct failure *f);

/* The call trace, indented, and the source line if the program has it. */
void failure_stack_text(const struct failure *f);

/* On standard error, because it is no data. */
void summary_text(const struct trace_totals *t);

#endif
