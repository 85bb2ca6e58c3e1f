/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Programs of object files: loaded to be read, never attached or run. */
#ifndef RQSPIN_CHECK_LOAD_H
#define RQSPIN_CHECK_LOAD_H

#include "check/progs.h"
#include "run/refusal.h"

/**
 * struct refused - a program that could not be loaded
 * @verifier: the verifier refused it, see @why; else something that it needs is missing here
 * @err: errno of the attempt
 */
struct refused {
	char *object, *prog, *section;
	bool verifier;
	int err;
	struct refusal why;
};

struct refusals {
	struct refused *all;
	size_t nr;
};

/*
 * Reads what the object has and unloads it again; programs that cannot be loaded go to refusals.
 * 0 or -errno, after it has said why: -ENOEXEC for what is no object or a damaged one, -EOPNOTSUPP.
 */
int check_load(const char *path, struct check_set *set, struct refusals *refusals);

void refusals_free(struct refusals *refusals);

#endif
