/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* What `rqspin run` prints. */
#ifndef RQSPIN_SHOW_RUN_REPORT_H
#define RQSPIN_SHOW_RUN_REPORT_H

#include <jansson.h>

#include "run/results.h"

struct report {
	const char *name;    /* sample, or path of the user's object */
	const char *shows;   /* NULL for the user's object */
	const char *object;  /* path */
	const char *differs; /* from the expected outcome; NULL if it does not */
	const struct drive *drive;
	const struct role_result *results; /* one per role */
	bool judged;			   /* the run has an expected outcome */
	enum counted_by by;
};

json_t *report_json(const struct report *r);
void report_text(const struct report *r);

#endif
