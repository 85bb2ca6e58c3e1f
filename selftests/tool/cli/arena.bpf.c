// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Two locks in an arena, in two orders: each program waits with its first lock until the other one
 * has its own, so both second locks fail.
 */
/* Not every vmlinux.h declares these functions, and those that do use another pointer type. */
#define bpf_arena_alloc_pages theirs_to_alloc
#define bpf_arena_free_pages  theirs_to_free
#include "vmlinux.h"
#undef bpf_arena_alloc_pages
#undef bpf_arena_free_pages
#include "../headers/ok/arena.bpf.h"
#include <rqspin/res_arena.bpf.h>
#include <rqspin/res_events.bpf.h>

#include "../../kernel/progs/may_loop.h"

struct cell {
	__u32 value;
	struct my_lock lock;
};

struct cell __arena cells[2] SEC(".addr_space.1");

RES_ARENA_DEFINE(struct my_lock, my_arena_take, my_arena_release);

__u64 holding, failed;

static __always_inline bool sides_meet(__u64 *arrived)
{
	__u64 target = (__sync_fetch_and_add(arrived, 1) / 2 + 1) * 2;

	while (may_loop)
		if (*(volatile __u64 *)arrived >= target)
			return true;
	return false;
}

#define BOTH(name, one, other)                                        \
	SEC("tc") int name(struct __sk_buff *skb)                     \
	{                                                             \
		struct my_lock __arena *a = &cells[one].lock;         \
		struct my_lock __arena *b = &cells[other].lock;       \
		struct res_scope scope;                               \
		int told = 1;                                         \
                                                                      \
		use_arena();                                          \
		res_scope_begin(&scope);                              \
		res_arena_guard(a) {                                  \
			if (!sides_meet(&holding))                    \
				return 1;                             \
			res_arena_guard(b) {                          \
				told = 0;                             \
			}                                             \
			res_guard_failed(err) {                       \
				res_scope_fail_arena(&scope, b, err); \
				told = err;                           \
			}                                             \
			sides_meet(&failed);                          \
		}                                                     \
		res_guard_failed(err) {                               \
			told = 2;                                     \
		}                                                     \
		return told;                                          \
	}

BOTH(arena_ab, 0, 1) /* at: arena_ab */
BOTH(arena_ba, 1, 0) /* at: arena_ba */

extern void __arena *bpf_arena_alloc_pages(void *map, void __arena *at, __u32 nr, int node,
					   __u64 flags) __ksym;
extern void bpf_arena_free_pages(void *map, void __arena *at, __u32 nr) __ksym;

#define HEAP_NODE -1 /* any */

/* A lock without a name, which is taken: 16 bytes from the start of allocated memory. */
SEC("syscall") int arena_heap(void *ctx)
{
	struct my_lock __arena *lock;
	void __arena *page = bpf_arena_alloc_pages(&arena, 0, 1, HEAP_NODE, 0);
	struct res_scope scope;
	int told = 1;

	if (!page)
		return 1;
	lock = page + 16;
	lock->word = 1;
	res_scope_begin(&scope);
	res_arena_guard(lock /* at: arena_heap */) {
		told = 2;
	}
	res_guard_failed(err) {
		res_scope_fail_arena(&scope, lock, err);
		told = err;
	}
	bpf_arena_free_pages(&arena, page, 1);
	return told;
}
