/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Programs of object files: loaded to be read, never attached or run. */
#ifndef RQSPIN_CHECK_LOAD_H
#define RQSPIN_CHECK_LOAD_H

#include "check/load_opts.h"
#include "check/progs.h"
#include "check/refused.h"

/*
 * Reads what the object has and unloads it again; programs that cannot be loaded go to refusals.
 * 0 or -errno, after it has said why: -ENOEXEC for what is no object or a damaged one; -EACCES or
 * -EOPNOTSUPP where nothing in it could be looked at.
 */
int check_load(const char *path, struct load_opts *opts, struct check_set *set,
	       struct refusals *refusals);

/* After all objects: was everything of use that the user said? 0 or -ENOENT, after it has said. */
int check_load_end(const struct load_opts *opts);

#endif
