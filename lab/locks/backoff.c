// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include "backoff.h"

static DEFINE_PER_CPU_ALIGNED(struct backoff, backoffs[1 << BACKOFF_HASH_SHIFT]);

struct backoff *backoff_of(const void *lock)
{
	/* The golden ratio spreads addresses that are multiples of a cache line. */
	u64 hash = (u64)(uintptr_t)lock * 0x61c8864680b583ebULL;

	return this_cpu_ptr(&backoffs[hash >> (64 - BACKOFF_HASH_SHIFT)]);
}

#ifdef SHIM_EXTERN

void backoff_wait(u64 delay)
{
	shim_relax_for(delay >> BACKOFF_SHIFT);
}

#else

#define OLD_PAUSE_CYCLES 10
#define SAMPLE		 1000

static u64 pauses_in_one = BACKOFF_ONE; /* fixed point */

/* The shortest of some samples is one that nothing came between. */
static int backoff_calibrate(void)
{
	u64 best = ~0ULL, start;
	int i, k;

	for (i = 0; i < 16; i++) {
		start = shim_cycles();
		for (k = 0; k < SAMPLE; k++)
			cpu_relax();
		best = min(best, shim_cycles() - start);
	}
	pauses_in_one = max(OLD_PAUSE_CYCLES * SAMPLE * (u64)BACKOFF_ONE / best, 1ULL);
	return 0;
}
early_initcall(backoff_calibrate);

void backoff_wait(u64 delay)
{
	u64 n = delay * pauses_in_one >> 2 * BACKOFF_SHIFT;

	do {
		cpu_relax();
	} while (n-- > 1);
}

#endif /* SHIM_EXTERN */
