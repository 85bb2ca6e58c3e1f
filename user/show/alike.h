/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* The text of failures printed a moment ago: of a burst, one has to be composed, not thousands. */
#ifndef RQSPIN_SHOW_ALIKE_H
#define RQSPIN_SHOW_ALIKE_H

#include <linux/types.h>
#include <stdbool.h>

struct failure;

/*
 * The text that alike_add() got for a failure that differs from this one in time and wait only.
 * NULL if there is none, or if one of the two is not younger than settled_ns: since then no address
 * has got another name.
 */
const char *alike_find(const struct failure *f, __u64 settled_ns);

/*
 * Takes text, from malloc(), and returns it. It is valid up to the next call of these functions.
 * again: failures like this one may get it
 */
const char *alike_add(const struct failure *f, char *text, bool again);

/* Keys of hash elements are read when a lock is named, so no text is used for long. */
void alike_forget(void);

#endif
