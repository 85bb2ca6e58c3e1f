/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* A lock in an arena whose first try is inlined, or all of it: only the name of this file says what
 * it is. */
#ifndef ARENA_FAST_LOCK_H
#define ARENA_FAST_LOCK_H

#include "arena.bpf.h"

#define ARENA_LOOKS 50

static __always_inline int fast_try(struct arena_lock __arena *l)
{
	int expected = 0;

	return !__atomic_compare_exchange_n(&l->word, &expected, 1, 0, __ATOMIC_SEQ_CST,
					    __ATOMIC_SEQ_CST);
}

/* Not one lock's alone, even where all callers pass the same one. */
static __attribute__((noinline, used)) int arena_fast_lock_slowpath(struct arena_lock __arena *l)
{
	for (int i = 0; i < ARENA_LOOKS; i++)
		if (!fast_try(l))
			return 0;
	return -RQSPIN_ETIMEDOUT;
}

static __always_inline __attribute__((unused)) int fast_lock(struct arena_lock __arena *l)
{
	return fast_try(l) ? arena_fast_lock_slowpath(l) : 0;
}

/* It waits inlined, too. */
static __always_inline __attribute__((unused)) int loop_lock(struct arena_lock __arena *l)
{
	for (int i = 0; i < ARENA_LOOKS; i++)
		if (!fast_try(l))
			return 0;
	return -RQSPIN_ETIMEDOUT;
}

static __always_inline __attribute__((unused)) void fast_unlock(struct arena_lock __arena *l)
{
	*(volatile int __arena *)&l->word = 0;
}

#endif
