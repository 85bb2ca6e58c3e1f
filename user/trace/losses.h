/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* How much was not seen. */
#ifndef RQSPIN_TRACE_LOSSES_H
#define RQSPIN_TRACE_LOSSES_H

#include <linux/types.h>
#include <stdbool.h>

struct failure;

/**
 * struct losses - what was not seen
 * @lost: failures known to be lost
 * @unknown: there may be more
 * @missed: programs that came and went before they could be looked at
 * @unseen: programs that take locks, and of whose failures no source here tells
 * @blind: mask of enum maplock: locks inside maps that are in use, whose failures no source sees
 */
struct losses {
	__u64 lost;
	bool unknown;
	__u32 missed, unseen;
	__u32 blind;
};

/* Failures may have been lost, or gone unseen, that nobody counted. */
bool losses_possible(const struct losses *l);

/*
 * Failures lost that are like this one; NULL: nothing is known of them but their number. like is
 * the same pointer for the same kind of failure as long as the session lasts.
 */
typedef void (*loss_fn)(const struct failure *like, __u64 nr, void *ctx);

/* "0", "at least 3 (2 programs came and went unseen)", "unknown (...)" */
#define LOSSES_TEXT 400
void losses_text(const struct losses *l, char buf[LOSSES_TEXT]);

#endif
