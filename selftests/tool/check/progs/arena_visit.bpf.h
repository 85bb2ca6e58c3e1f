/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* A lock in an arena behind a pointer out of it. */
#ifndef ARENA_VISIT_BPF_H
#define ARENA_VISIT_BPF_H

#include "arena.bpf.h"

struct arena_lock __arena *__arena chosen SEC(".addr_space.1");

static __attribute__((noinline, used)) int arena_spin_lock(struct arena_lock __arena *lock)
{
	return arena_try(lock);
}

static __always_inline int arena_visit(struct arena_lock __arena *lock)
{
	if (arena_spin_lock(lock))
		return 1;
	*(volatile int __arena *)&lock->word = 0;
	return 0;
}

#endif
