/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* What stat --waits does: collect until it is time, then print. */
#ifndef RQSPIN_WAITS_FOLLOW_H
#define RQSPIN_WAITS_FOLLOW_H

#include <stdbool.h>

struct wait_scope;

struct waits_opts {
	double duration; /* 0: until stopped */
	bool json, folded, no_addr;
	const struct wait_scope *scope;
};

/* 0, or -errno after it has said why. *lossy: waits were dropped. */
int waits_follow(const struct waits_opts *opts, const char *missing, bool *lossy);

#endif
