/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Names of locks, for messages. */
#ifndef RQSPIN_CHECK_LOCKTEXT_H
#define RQSPIN_CHECK_LOCKTEXT_H

#include "check/record.h"

#define LOCKTEXT_ROOM 320

/* "lock_a", "slots[0].lock", "flows[key ?].lock", "lock of a struct account" */
void locktext_format(const struct check_set *set, const struct lock *lock, char *buf, size_t size);

#define LOCKTEXT_WHO 300 /* names of two functions; longer ones are cut */

/* "starts", or "starts (in later)" for another function, perhaps one that the kernel calls. */
void locktext_who(const struct check_set *set, const struct site *site, char *buf, size_t size);

#endif
