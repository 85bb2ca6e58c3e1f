/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Examples of verbs: help and man page are made from this table. */
#ifndef RQSPIN_EXAMPLES_H
#define RQSPIN_EXAMPLES_H

#include <jansson.h>

/* For the end of a verb's help; NULL: it has none, or no memory. The caller frees it. */
char *examples_text(const char *verb);

/* A list of {"what", "lines"}. */
json_t *examples_json(const char *verb);

#endif
