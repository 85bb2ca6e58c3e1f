/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* A lock that is a word in an arena: plain instructions, which the kernel does not know. */
#ifndef ARENA_BPF_H
#define ARENA_BPF_H

#include "check.bpf.h"

#define __arena __attribute__((address_space(1)))

/* A program has the arena that it names. */
#define use_arena() asm volatile("" : : "r"(&arena))

struct {
	__uint(type, 33); /* BPF_MAP_TYPE_ARENA, since Linux 6.9 */
	__uint(map_flags, BPF_F_MMAPABLE);
	__uint(max_entries, 1);
} arena SEC(".maps");

struct arena_lock {
	int word;
};

struct arena_lock __arena first SEC(".addr_space.1");
struct arena_lock __arena second SEC(".addr_space.1");

static __always_inline __attribute__((unused)) int arena_try(struct arena_lock __arena *lock)
{
	int expected = 0;

	return !__atomic_compare_exchange_n(&lock->word, &expected, 1, 0, __ATOMIC_SEQ_CST,
					    __ATOMIC_SEQ_CST);
}

#endif
