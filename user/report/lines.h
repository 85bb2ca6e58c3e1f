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
 * @name: as messages call it
 * @in: the file
 * @skip: go on after a line that is none of ours
 * @nr: lines read
 * @skipped: of them, none of ours
 */
struct lines {
	const char *name;
	FILE *in;
	bool skip;
	unsigned long long nr, skipped;
};

/* Gets a line that has the members of its type, with values of the right types. */
typedef void (*lines_fn)(const json_t *line, void *ctx);

/* 0, or -errno after it has said why; -EBADMSG: a line is none of ours. */
int lines_read(struct lines *l, lines_fn fn, void *ctx);

/* What is wrong with a line, in why; false if nothing is. For tests, too. */
bool lines_wrong(const json_t *line, char *why, size_t size);

#endif
