/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#ifndef SIM_BACKOFF_H
#define SIM_BACKOFF_H

#include <stdint.h>

/**
 * struct backoff - a delay that tunes itself
 * @extra: PAUSEs above one, in 1/256
 *
 * After Rik van Riel's series of January 2013, in fixed point with 8 bits: each poll lengthens the
 * delay by a seventh of a PAUSE, and each acquisition of a lock that was free already shortens it
 * by 1/32. Zeroed memory is a new delay.
 */
struct backoff {
	uint32_t extra;
};

#define BACKOFF_ONE 256
#define BACKOFF_MAX (16000 * BACKOFF_ONE)

static inline void backoff_grow(struct backoff *b)
{
	if (b->extra + BACKOFF_ONE < BACKOFF_MAX)
		b->extra += BACKOFF_ONE / 7;
}

static inline void backoff_shrink(struct backoff *b)
{
	uint32_t delay = b->extra + BACKOFF_ONE;

	if (delay >= 2 * BACKOFF_ONE)
		b->extra -= delay / 32 > BACKOFF_ONE ? delay / 32 : BACKOFF_ONE;
}

/** backoff_loops() - Number of PAUSEs with @ahead others in front. */
static inline uint64_t backoff_loops(const struct backoff *b, uint64_t ahead)
{
	return ((b->extra + BACKOFF_ONE) * ahead) >> 8;
}

#endif
