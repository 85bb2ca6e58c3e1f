/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Which findings count: options, and what they do with the findings. */
#ifndef RQSPIN_CHECK_COUNT_OPTS_H
#define RQSPIN_CHECK_COUNT_OPTS_H

#include <argp.h>

#include "check/findings.h"

/**
 * struct count_opts - values of the options
 * @errors: kinds that are errors, a bit for each of finding_kinds[]
 * @baseline: file with the known findings, or NULL
 * @write: baseline file to write, or NULL
 */
struct count_opts {
	unsigned int errors;
	const char *baseline, *write;
};

/* Child parser; its input is a struct count_opts. */
extern const struct argp count_argp;

/*
 * Apply the options. gone: how many entries of the baseline match no finding. 0 or -errno, after
 * printing why.
 */
int count_apply(const struct count_opts *o, struct findings *f, size_t *gone);

#endif
