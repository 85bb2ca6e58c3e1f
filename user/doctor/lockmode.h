/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Does this machine queue for locks, or test and set? Found out by looking at a waiter. */
#ifndef RQSPIN_DOCTOR_LOCKMODE_H
#define RQSPIN_DOCTOR_LOCKMODE_H

enum lock_mode { MODE_UNKNOWN, MODE_QUEUE, MODE_TAS };

/* How waiters wait on this machine. why: the evidence, or what is missing to get it. */
enum lock_mode lock_mode_watch(const char **why);

#endif
