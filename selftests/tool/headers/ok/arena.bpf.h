/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * A lock that a program may bring along: a word in an arena, taken by an exchange. The acquisition
 * gives up after some attempts. 0: free.
 */
#ifndef HEADERS_ARENA_BPF_H
#define HEADERS_ARENA_BPF_H

#include "test.bpf.h"

#ifndef __arena
#define __arena __attribute__((address_space(1)))
#endif

#define ARENA_LOOKS 64

struct {
	__uint(type, 33); /* BPF_MAP_TYPE_ARENA, since Linux 6.9 */
	__uint(map_flags, BPF_F_MMAPABLE);
	__uint(max_entries, 2);
} arena SEC(".maps");

/* A program can access the arena only if it refers to the map. */
#define use_arena() asm volatile("" : : "r"(&arena))

struct my_lock {
	__u32 word;
};

static __always_inline int my_arena_take(struct my_lock __arena *lock)
{
	for (int i = 0; i < ARENA_LOOKS; i++)
		if (!__sync_val_compare_and_swap(&lock->word, 0, 1))
			return 0;
	return -RQSPIN_ETIMEDOUT;
}

static __always_inline void my_arena_release(struct my_lock __arena *lock)
{
	(void)__sync_lock_test_and_set(&lock->word, 0);
}

#endif
