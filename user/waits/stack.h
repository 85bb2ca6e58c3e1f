/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Which frames of a wait are the tracer's, the lock's and its caller's. */
#ifndef RQSPIN_WAITS_STACK_H
#define RQSPIN_WAITS_STACK_H

#include <stdbool.h>

#include "waits.h"

struct lock_view;
struct proginfo;

/*
 * The innermost frame that is not part of the lock, nor of the functions that count calls for
 * 'rqspin run'. WAITS_FRAMES, or one whose address is 0: there is none.
 */
int wait_stack_first(const struct waits_entry *e, const struct lock_view *v);

/* The innermost program from that frame on; NULL: none is known, user space asked for the lock. */
const struct proginfo *wait_stack_prog(const struct waits_entry *e, const struct lock_view *v);

/* Is there unknown code from that frame on, such as a program that is gone? */
bool wait_stack_has_unknown(const struct waits_entry *e, const struct lock_view *v);

#endif
