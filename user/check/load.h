/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Programs of object files: loaded to be read, never attached or run. */
#ifndef RQSPIN_CHECK_LOAD_H
#define RQSPIN_CHECK_LOAD_H

#include "check/load_opts.h"
#include "check/progs.h"
#include "check/refused.h"

/*
 * Read the object's programs and maps, and unload it again. Programs that cannot be loaded go to
 * @refusals. 0 or -errno, after printing why: -ENOEXEC if the file is no object, or a damaged one;
 * -EACCES or -EOPNOTSUPP if nothing in it could be looked at.
 */
int check_load(const char *path, struct load_opts *opts, struct check_set *set,
	       struct refusals *refusals);

/* After all objects: was every option of use? 0 or -ENOENT, after printing which was not. */
int check_load_end(const struct load_opts *opts);

#endif
