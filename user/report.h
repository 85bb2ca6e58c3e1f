/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* What `rqspin run` prints. */
#ifndef RQSPIN_REPORT_H
#define RQSPIN_REPORT_H

#include <jansson.h>

#include "driver.h"

struct role_result {
	struct counts counts;
	struct hist ok, fail;
};

struct report {
	const char *name;    /* sample, or path of the user's object */
	const char *shows;   /* NULL for the user's object */
	const char *object;  /* path */
	const char *differs; /* from the expected outcome; NULL if it does not */
	const struct drive *drive;
	const struct role_result *results; /* one per role */
	bool judged;			   /* there was something to expect */
	bool by_return;			   /* counted by return values, not by the programs */
};

struct counts report_total(const struct report *r);
json_t *report_json(const struct report *r);
void report_text(const struct report *r);

/* "1.64 ms": three digits; buf is returned. */
const char *format_ns(uint64_t ns, char buf[16]);

#endif
