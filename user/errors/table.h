/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* What operations on maps return when a lock fails: errors.tsv and advice.tsv of this folder. */
#ifndef RQSPIN_ERRORS_TABLE_H
#define RQSPIN_ERRORS_TABLE_H

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>

#include "kernel/maplocks.h"

/* A line of errors.tsv. Lists are separated by commas; errors in texts are in backticks. */
struct map_error {
	const char *types, *ops;
	enum maplock lock; /* its kind selects the text in returns */
	const char *cause;
	const char *returns[MAPLOCK_KINDS];
	const char *advice;
};

/* A line of advice.tsv. */
struct map_advice {
	const char *id, *when, *text;
};

extern const struct map_error map_errors[];
extern const size_t nr_map_errors;
extern const struct map_advice map_advices[];
extern const size_t nr_map_advices;

bool map_error_listed(const char *list, const char *word); /* among words with commas between */

bool map_error_about(const struct map_error *e, const char *type, const char *op);

/* Does the text have that error? Without "-": "EBUSY", "NULL". */
bool map_error_names(const char *text, const char *error);

/* The line about that lock if the operation is nested in another one on the same CPU, or NULL. */
const struct map_error *map_error_nested(const char *type, const char *op, enum maplock lock);

/* Are its errors those of the operation's other lines? */
bool map_error_borrowed(const struct map_error *e);

/* Is it not known what such a kernel returns? */
bool map_error_unmeasured(const char *text);

/*
 * Does the advice apply to the line, on a kernel that returns that and shows the lock in that view?
 */
bool map_advice_for(const struct map_advice *a, const struct map_error *e, const char *returns,
		    enum maplock_view view);

json_t *map_error_types(void);		    /* all types, as bpftool names them */
json_t *map_error_ops(const char *type);    /* of a type */
json_t *map_error_errors(const char *text); /* that a text names */

#endif
