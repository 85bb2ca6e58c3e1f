/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Failures counted by program, lock and kind. */
#ifndef RQSPIN_STAT_TABLE_H
#define RQSPIN_STAT_TABLE_H

struct failure;
struct locknames;
struct print_opts;
struct session;
struct stat_table;

struct stat_table *stat_table_new(void);
void stat_table_free(struct stat_table *t);

void stat_table_add(struct stat_table *t, const struct failure *f, struct locknames *ln);

/* Print what was counted since the last call, most frequent first; 0 or negative errno. */
int stat_table_print(struct stat_table *t, struct session *s, const struct print_opts *opts);

#endif
