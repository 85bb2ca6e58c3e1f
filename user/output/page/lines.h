/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* The lines of `rqspin trace --json`, read back. */
#ifndef RQSPIN_REPORT_LINES_H
#define RQSPIN_REPORT_LINES_H

#include <jansson.h>
#include <stdbool.h>
#include <stdio.h>

#define LINES_MAX (16 << 20) /* bytes of a line */

/**
 * struct lines - a file of events
 * @name: its name in messages
 * @in: the file
 * @skip: go on after a line that trace did not write
 * @nr: lines read
 * @skipped: lines that trace did not write
 */
struct lines {
	const char *name;
	FILE *in;
	bool skip;
	unsigned long long nr, skipped;
};

/* Called with each line that has the members of its type, with values of the right types. */
typedef void (*lines_fn)(const json_t *line, void *ctx);

/* 0, or -errno after printing why; -EBADMSG: a line that trace did not write. */
int lines_read(struct lines *l, lines_fn fn, void *ctx);

/* Writes what is wrong with a line into @why; false if nothing is. For tests, too. */
bool lines_wrong(const json_t *line, char *why, size_t size);

#endif
