/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* The kernel's text about a program's failed lock, in the program's error stream. */
#ifndef RQSPIN_SOURCES_REPORT_PARSE_H
#define RQSPIN_SOURCES_REPORT_PARSE_H

#include <linux/types.h>
#include <stdbool.h>
#include <stddef.h>

struct failure;

/*
 * Find the next report in the text. Returns where it begins (everything before
 * is not of the kernel's lock reports) and sets *end behind it; NULL if there is
 * no complete one. partial: also one whose end has not come yet.
 */
const char *report_find(const char *text, int partial, const char **end);

/* Text without a complete report: where that of which more may come begins, a report or a line. */
const char *report_rest(const char *text);

/* Add what a program's stream held, any bytes, to a text, or NULL, of *len bytes; 0 or -ENOMEM. */
int report_append(char **text, size_t *len, const char *more, size_t n);

/* err, lock, kind, held locks, cpu, tid, comm, line: as far as the text has them. 0 or -EINVAL. */
int report_parse(const char *report, size_t len, struct failure *f);

/* A line of a program's fdinfo: false unless it says what its error stream dropped. */
bool report_parse_dropped(const char *line, __u64 *dropped);

#endif
