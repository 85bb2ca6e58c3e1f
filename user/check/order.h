/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* In which order two locks of one sort are taken, as far as the program has compared them. */
#ifndef RQSPIN_CHECK_ORDER_H
#define RQSPIN_CHECK_ORDER_H

#include "check/step.h"

/* What is lower for the first lock than for the second one; with _DOWN: higher. */
enum {
	ORDER_ADDRESS = 1,
	ORDER_KEY = 2, /* as an unsigned number */
	ORDER_SIGNED = 4,
	ORDER_ADDRESS_DOWN = 8,
	ORDER_KEY_DOWN = 16,
	ORDER_SIGNED_DOWN = 32,
};

#define ORDER_KEYS (ORDER_KEY | ORDER_SIGNED | ORDER_KEY_DOWN | ORDER_SIGNED_DOWN)

/* All ORDER_* that hold, even if the two may be equal. differ: they certainly are not. */
unsigned int order_of(const struct stepper *s, const struct state *st, const struct lockid *a,
		      const struct lockid *b, bool *differ);

/* The orders that hold for two keys of that size. */
unsigned int order_of_numbers(__u32 size, __u64 x, __u64 y);

/* Name of the first order in the mask: "address", "key down", ...; or NULL. */
const char *order_name(unsigned int order);

#endif
