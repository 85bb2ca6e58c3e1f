/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Which findings count: options, and what they do with the findings. */
#ifndef RQSPIN_CHECK_COUNT_OPTS_H
#define RQSPIN_CHECK_COUNT_OPTS_H

#include <argp.h>

#include "check/findings.h"

/**
 * struct count_opts - what the options say
 * @errors: kinds that are errors, a bit for each of finding_kinds[]
 * @baseline: file of those that are known, or NULL
 * @write: file to be written, or NULL
 */
struct count_opts {
	unsigned int errors;
	const char *baseline, *write;
};

/* Child parser; its input is a struct count_opts. */
extern const struct argp count_argp;

/* gone: how many of the baseline are found no longer. 0 or -errno, after it has said why. */
int count_apply(const struct count_opts *o, struct findings *f, size_t *gone);

#endif
