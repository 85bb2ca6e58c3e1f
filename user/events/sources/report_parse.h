/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* The kernel's text about a program's failed lock, in the program's error stream. */
#ifndef RQSPIN_SOURCES_REPORT_PARSE_H
#define RQSPIN_SOURCES_REPORT_PARSE_H

#include <linux/types.h>
#include <stdbool.h>
#include <stddef.h>

struct failure;

/*
 * Finds the next report in the text. Returns its beginning and sets *end behind it; the text before
 * it is not part of a lock report of the kernel. NULL if there is no complete report. partial: a
 * report whose end is still missing is found, too.
 */
const char *report_find(const char *text, int partial, const char **end);

/*
 * Is it the second line of a report? Where the text before the next report has one, the kernel had
 * no memory for the first.
 */
bool report_headless(const char *line);

/*
 * The beginning of the part of the text that may still be continued: an incomplete report, else a
 * line. The text has no complete report.
 */
const char *report_rest(const char *text);

/*
 * Appends n bytes of a program's stream, with any values, to *text (NULL at first) of *len bytes. 0
 * or -ENOMEM.
 */
int report_append(char **text, size_t *len, const char *more, size_t n);

/*
 * Sets err, lock, kind, held locks, cpu, tid, comm and line, as far as the text has them. 0 or
 * -EINVAL.
 */
int report_parse(const char *report, size_t len, struct failure *f);

/*
 * Parses a line of a program's fdinfo. False unless it has the number of drops of its error stream.
 */
bool report_parse_dropped(const char *line, __u64 *dropped);

#endif
