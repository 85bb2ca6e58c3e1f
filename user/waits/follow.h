/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* stat --waits: collect until the end, then print. */
#ifndef RQSPIN_WAITS_FOLLOW_H
#define RQSPIN_WAITS_FOLLOW_H

#include <stdbool.h>

struct wait_scope;

struct waits_opts {
	double duration; /* 0: until stopped */
	bool json, folded, no_addr;
	const struct wait_scope *scope;
};

/* 0, or -errno after printing why. *lossy: waits were dropped, or some are @missing. */
int waits_follow(const struct waits_opts *opts, const char *missing, bool *lossy);

#endif
