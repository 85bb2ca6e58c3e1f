/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* The texts of failures printed a moment ago: a burst composes one text, not thousands. */
#ifndef RQSPIN_SHOW_ALIKE_H
#define RQSPIN_SHOW_ALIKE_H

#include <linux/types.h>
#include <stdbool.h>

struct failure;

/*
 * The text that alike_add() got for a failure that differs from this one in time and wait only.
 * NULL if there is none, or if one of the two failures is not younger than settled_ns: since that
 * time no address has got another name.
 */
const char *alike_find(const struct failure *f, __u64 settled_ns);

/*
 * Takes over @text, which is malloc()ed, and returns it. It is valid up to the next call of these
 * functions. @again: failures like this one may get it, too.
 */
const char *alike_add(const struct failure *f, char *text, bool again);

/*
 * Forgets all texts. A lock's name may have the key of a hash element, which is read when the lock
 * is named, so no text may be used for long.
 */
void alike_forget(void);

#endif
