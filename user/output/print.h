/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Prints the failures and the summary of trace, as the options want them. */
#ifndef RQSPIN_SHOW_PRINT_H
#define RQSPIN_SHOW_PRINT_H

struct failure;
struct lockname;
struct print_opts;
struct session;
struct trace_totals;

/* All write one whole record; 0 or negative errno of the output. */
int print_failure(struct session *s, const struct failure *f, const struct print_opts *opts);

/* The same of a long wait. */
int print_wait(struct session *s, const struct failure *f, const struct print_opts *opts);

/*
 * The same without time and wait, which the caller shows in another way. The caller frees it; NULL:
 * no memory.
 */
char *print_body(struct session *s, const struct failure *f, const struct print_opts *opts);

/* Call it after each poll: within a batch, names are at most as old as its first failure. */
void print_batch_over(void);

/*
 * Prints how often a failure like @first came again. @wanted: the name of its lock; NULL: it has
 * none.
 */
int print_repeat(struct session *s, const struct failure *first, const struct lockname *wanted,
		 unsigned long long again, const struct print_opts *opts);
int print_summary(struct session *s, const struct trace_totals *t, const struct print_opts *opts);

#endif
