// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* finds: nothing. A lock within a node of the heap is taken, released and taken again. */
#include "arena.bpf.h"

struct arena_node {
	long value;
	struct arena_lock lock;
};

struct arena_node __arena *__arena chosen SEC(".addr_space.1");

static __attribute__((noinline, used)) int arena_spin_lock(struct arena_lock __arena *lock)
{
	return arena_try(lock);
}

static __always_inline int arena_add(struct arena_node __arena *node)
{
	if (arena_spin_lock(&node->lock))
		return -1;
	node->value++;
	*(volatile int __arena *)&node->lock.word = 0;
	return 0;
}

SEC("syscall")
int add_twice(void *ctx)
{
	struct arena_node __arena *node = chosen;

	use_arena();
	if (arena_add(node))
		return 1;
	return arena_add(node);
}
