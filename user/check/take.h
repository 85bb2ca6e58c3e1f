/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Taking and releasing locks on a path. */
#ifndef RQSPIN_CHECK_TAKE_H
#define RQSPIN_CHECK_TAKE_H

#include "check/calls.h"
#include "check/record.h"
#include "check/step.h"

/* Return value of the program after a failure that it did not report; pc: of the failure. */
struct quiet_end {
	__u32 pc;
	__u64 returns;
};

/**
 * struct taker - takes locks for one program
 * @run: how the code of the path runs
 * @normal: values that the program returns on paths without a failed acquisition
 * @quiet: values returned on paths that do nothing else about a failure
 */
struct taker {
	const struct stepper *s;
	__u32 prog;
	struct record *record;
	enum run run;
	__u64 *normal;
	struct quiet_end *quiet;
	size_t nr_normal, nr_quiet;
};

/* Record that the path wants the lock that r1 points to, and what follows from it. 0 or -ENOMEM. */
int take_record(const struct taker *t, const struct state *st, const struct call *call);

/* Record the locks that are still held, where interrupts may be on again. 0 or -ENOMEM. */
int take_record_held(const struct taker *t, const struct state *st);

void take_held(struct state *st, const struct call *call);
void take_failed(struct state *st);

/* The program ends: record what it returns. 0 or -ENOMEM. */
int take_end(struct taker *t, const struct state *st);

/*
 * After all paths: record failures that the program does not report, not even by its return
 * value.
 */
int take_record_ignored(const struct taker *t);

void take_free(struct taker *t);

/*
 * Release the lock that r1 points to. False: it is not held, so this path does not exist, because
 * the verifier has accepted the program.
 */
bool take_release(struct state *st);

#endif
