/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Taking and releasing locks on a path. */
#ifndef RQSPIN_CHECK_TAKE_H
#define RQSPIN_CHECK_TAKE_H

#include "check/calls.h"
#include "check/record.h"
#include "check/step.h"

/* deferred: the path began in a function that the kernel calls later. */
struct taker {
	const struct stepper *s;
	__u32 prog;
	struct record *record;
	bool deferred;
};

/* The lock that r1 points to is wanted: what follows from that. 0 or -ENOMEM. */
int take_record(const struct taker *t, const struct state *st, const struct call *call);

void take_held(struct state *st, const struct call *call);
void take_failed(struct state *st);

/* False: it is not held. The verifier knows better, so this path does not exist. */
bool take_release(struct state *st);

#endif
