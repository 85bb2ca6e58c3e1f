/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* What `rqspin doctor` looks at. */
#ifndef RQSPIN_DOCTOR_CHECKS_H
#define RQSPIN_DOCTOR_CHECKS_H

#include <stdbool.h>

enum check_state { CHECK_YES, CHECK_NO, CHECK_UNKNOWN };

struct check {
	const char *id; /* in JSON */
	const char *title;
	const char *costs; /* what the user lacks without it; NULL: nothing */
	const char *fix;   /* how to get it */
	bool needed;	   /* resilient locks cannot be used without it */
	/* Fills @detail with one line; what was found, or why not. */
	enum check_state (*look)(char *detail, size_t size);
	/* Instead of @costs and @fix, if set and not NULL: what holds for this kernel. */
	const char *(*costs_here)(void);
	const char *(*fix_here)(void);
	bool value; /* show the detail instead of "yes" */
};

const char *check_costs(const struct check *c);

/* How to get what is missing. */
const char *check_fix(const struct check *c);

extern const struct check checks[];
extern const size_t nr_checks;

#endif
