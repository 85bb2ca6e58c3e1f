/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Kernel functions that take a callback of the program, and how they call it. */
#ifndef RQSPIN_CHECK_CALLBACKS_H
#define RQSPIN_CHECK_CALLBACKS_H

#include <linux/types.h>

#include "check/record.h"
#include "check/step.h"

#define CALLBACK_ARGS 4

enum callback_times {
	TIMES_ANY,  /* during the call, any number of times */
	TIMES_ONCE, /* during the call, at most once */
	TIMES_LATER,
};

enum callback_arg {
	ARG_NOTHING,
	ARG_NUMBER,
	ARG_POINTER, /* to something that is not followed */
	ARG_MAP,
	ARG_KEY,
	ARG_VALUE,
	ARG_CONTEXT, /* the argument that the caller passes on */
	ARG_ANYTHING,
};

/**
 * struct callback_taker - a kernel function that takes a callback
 * @name: its name; "for_each" stands for the functions of all map types
 * @func: the register with the callback
 * @times: when, and how often, the callback is called
 * @run: where the callback runs, if it is called later
 * @source: the register with the map, or with an element that holds a timer or the like; 0: none
 * @context: the register with the argument that is passed on; 0: none
 * @args: what the callback is called with
 */
struct callback_taker {
	const char *name;
	__u8 func;
	enum callback_times times;
	enum run run;
	__u8 source, context;
	__u8 args[CALLBACK_ARGS];
};

/* NULL: the function is not known. */
const struct callback_taker *callback_find(const char *name);

/* Stands for an unknown function, which may run the callback anywhere with any arguments. */
const struct callback_taker *callback_unknown(void);

/*
 * Set the arguments of the callback in @st, which is at its first instruction. @source, @context:
 * what the caller had in those registers.
 */
void callback_set_args(const struct callback_taker *taker, const struct stepper *s,
		       struct state *st, const struct val *source, const struct val *context);

#endif
