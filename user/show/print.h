/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* What trace prints: failures and a summary, as the options want them. */
#ifndef RQSPIN_SHOW_PRINT_H
#define RQSPIN_SHOW_PRINT_H

struct failure;
struct lockname;
struct print_opts;
struct session;
struct trace_totals;

/* All write one whole record and flush; 0 or negative errno of the output. */
int print_failure(struct session *s, const struct failure *f, const struct print_opts *opts);

/* The same without time and wait, for whoever shows them otherwise; to be freed, NULL: no memory.
 */
char *print_body(struct session *s, const struct failure *f, const struct print_opts *opts);

/* Names are as old as the first failure of a batch at most: call it after each poll. */
void print_batch_over(void);

/* How often one like it came again. wanted: the name of its lock, NULL: it has none. */
int print_repeat(struct session *s, const struct failure *first, const struct lockname *wanted,
		 unsigned long long again, const struct print_opts *opts);
int print_summary(struct session *s, const struct trace_totals *t, const struct print_opts *opts);

#endif
