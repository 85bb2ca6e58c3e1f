/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Taking and releasing locks on a path. */
#ifndef RQSPIN_CHECK_TAKE_H
#define RQSPIN_CHECK_TAKE_H

#include "check/calls.h"
#include "check/record.h"
#include "check/step.h"

/* What the program returns after a failure of which it has told nobody; pc: of the failure. */
struct quiet_end {
	__u32 pc;
	__u64 returns;
};

/**
 * struct taker - takes locks for one program
 * @run: where the path began
 * @normal: what the program returns where no acquisition failed
 * @quiet: and where one did and nothing else was done about it
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

/* The lock that r1 points to is wanted: what follows from that. 0 or -ENOMEM. */
int take_record(const struct taker *t, const struct state *st, const struct call *call);

/* What is held still, where interrupts may be on again. 0 or -ENOMEM. */
int take_record_held(const struct taker *t, const struct state *st);

void take_held(struct state *st, const struct call *call);
void take_failed(struct state *st);

/* The program ends. 0 or -ENOMEM. */
int take_end(struct taker *t, const struct state *st);

/* After all paths: failures of which nobody hears, not by the value returned either. */
int take_record_ignored(const struct taker *t);

void take_free(struct taker *t);

/* False: it is not held. The verifier knows better, so this path does not exist. */
bool take_release(struct state *st);

#endif
