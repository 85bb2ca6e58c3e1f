/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* What `rqspin run` was asked to run, and what to say when that cannot be. */
#ifndef RQSPIN_RUN_WHAT_H
#define RQSPIN_RUN_WHAT_H

#include <stdbool.h>

bool what_is_path(const char *what); /* and not a sample's name */

/* These return 0, or -errno after they have said why: -EINVAL if it cannot be meant like this. */
int what_check_object(const char *path); /* is it what an object may be? */

/* The one program of an object, malloc()ed; if there are several it names them. */
int what_only_role(const char *path, char **name);
int what_unknown_sample(const char *name);

#endif
