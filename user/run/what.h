/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* The target of `rqspin run`, and messages if it cannot be run. */
#ifndef RQSPIN_RUN_WHAT_H
#define RQSPIN_RUN_WHAT_H

#include <stdbool.h>

bool what_is_path(const char *what); /* a path, not the name of a sample */

/* These return 0, or -errno after printing why: -EINVAL if the arguments are wrong. */
int what_check_object(const char *path); /* can the file be an object? */

/* The only program of an object, malloc()ed; an error names them if there are several. */
int what_only_role(const char *path, char **name);
int what_unknown_sample(const char *name);

#endif
