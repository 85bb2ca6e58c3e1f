/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Kernel functions that take a function of the program, and what they do with it. */
#ifndef RQSPIN_CHECK_CALLBACKS_H
#define RQSPIN_CHECK_CALLBACKS_H

#include <linux/types.h>

#include "check/record.h"
#include "check/step.h"

#define CALLBACK_ARGS 4

enum callback_times {
	TIMES_ANY,  /* during the call, any number of times */
	TIMES_ONCE, /* during the call, at most */
	TIMES_LATER,
};

enum callback_arg {
	ARG_NOTHING,
	ARG_NUMBER,
	ARG_POINTER, /* to what is not followed */
	ARG_MAP,
	ARG_KEY,
	ARG_VALUE,
	ARG_CONTEXT, /* what the caller passes on */
	ARG_ANYTHING,
};

/**
 * struct callback_taker - one of them
 * @name: of the kernel function; "for_each" stands for each map's own
 * @func: the register that has the function
 * @times: when, and how often it is called
 * @run: where, if later
 * @source: the register of the map, or of an element that has a timer or the like; 0: none
 * @context: the register of what is passed on; 0: none
 * @args: what it is called with
 */
struct callback_taker {
	const char *name;
	__u8 func;
	enum callback_times times;
	enum run run;
	__u8 source, context;
	__u8 args[CALLBACK_ARGS];
};

/* NULL: not one that is known. */
const struct callback_taker *callback_find(const char *name);

/* What one that is not known may do. */
const struct callback_taker *callback_unknown(void);

/* st: at the beginning of the function; source, context: what was in those registers. */
void callback_set_args(const struct callback_taker *taker, const struct stepper *s,
		       struct state *st, const struct val *source, const struct val *context);

#endif
