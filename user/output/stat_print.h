/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* A table of counted failures, as text or JSON. */
#ifndef RQSPIN_SHOW_STAT_PRINT_H
#define RQSPIN_SHOW_STAT_PRINT_H

struct losses;
struct print_opts;
struct stat_table;

/*
 * Prints what was counted since the last call, most frequent first, and clears the table.
 * @uncounted: failures that are in no row. 0 or negative errno.
 */
int stat_print(struct stat_table *t, const struct losses *uncounted, const struct print_opts *opts);

#endif
