/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Failures that were not seen. */
#ifndef RQSPIN_TRACE_LOSSES_H
#define RQSPIN_TRACE_LOSSES_H

#include <linux/types.h>
#include <stdbool.h>

struct failure;

/**
 * struct losses - failures that were not seen
 * @lost: failures known to be lost
 * @unknown: more may be lost
 * @missed: programs that came and went before they could be read
 * @unseen: programs that take locks, but whose failures no source here reports
 * @later: programs that were loaded after a recorder began are not in what it recorded
 * @blind: mask of enum maplock: locks inside maps that are in use, whose failures no source sees
 */
struct losses {
	__u64 lost;
	bool unknown, later;
	__u32 missed, unseen;
	__u32 blind;
};

/* May failures have been lost, or not seen, without being counted in @lost? */
bool losses_possible(const struct losses *l);

/*
 * Called with the number of lost failures that are like this one; NULL: only their number is known.
 * like is the same pointer for the same kind of failure as long as the session lasts.
 */
typedef void (*loss_fn)(const struct failure *like, __u64 nr, void *ctx);

/* "0", "at least 3 (2 programs came and went unseen)", "unknown (...)" */
#define LOSSES_TEXT 500
void losses_text(const struct losses *l, char buf[LOSSES_TEXT]);

#endif
