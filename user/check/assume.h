/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Notes about the assumptions under which a program was loaded. */
#ifndef RQSPIN_CHECK_ASSUME_H
#define RQSPIN_CHECK_ASSUME_H

#include <stdbool.h>

#include "check/object.h"
#include "check/progs.h"

/* Note the assumptions about a program that is loaded. */
void assume_prog(struct check_set *set, const struct object *o, const struct bpf_program *prog);

/* Note the assumptions about an object's maps. */
void assume_object(struct check_set *set, const struct object *o);

/* Does the program read anything that its command may set, or that depends on the kernel's build?
 */
bool assume_uses_constants(const struct object *o, const char *section, const char *prog);

/*
 * The values with which the program was refused, as "name = 5, ..."; NULL: it reads none that may
 * change.
 */
char *assume_values(const struct object *o, const char *section, const char *prog);

#endif
