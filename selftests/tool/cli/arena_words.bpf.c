// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Locks in an arena that stay as a program has left them: one of a word, and one with a queue, laid
 * out as arena_spinlock_t. Programs take them, queue up behind an owner, and leave.
 */
/* Not every vmlinux.h declares this function, and those that do use another pointer type. */
#define bpf_arena_alloc_pages theirs_to_alloc
#include "vmlinux.h"
#undef bpf_arena_alloc_pages
#include <bpf/bpf_helpers.h>
#include <rqspin/res_arena.bpf.h>

#ifndef __arena
#define __arena __attribute__((address_space(1)))
#endif

#define use_arena() asm volatile("" : : "r"(&words_arena))

struct {
	__uint(type, 33); /* BPF_MAP_TYPE_ARENA, since Linux 6.9 */
	__uint(map_flags, BPF_F_MMAPABLE);
	__uint(max_entries, 8);
} words_arena SEC(".maps");

struct word_lock {
	__u32 word;
};

typedef struct {
	union {
		__u32 val;
		struct {
			__u8 locked, pending;
			__u16 tail;
		};
	};
} queue_lock_t;

struct cell {
	__u64 clock;
	struct word_lock lock;
};

struct cell __arena cells[3] SEC(".addr_space.1");
queue_lock_t __arena queue SEC(".addr_space.1");

#define OWNER		1U
#define PENDING		0x100U
#define END(cpu, level) (((cpu) + 1) << 18 | (level) << 16)

static __always_inline int word_take(struct word_lock __arena *lock)
{
	return __sync_val_compare_and_swap(&lock->word, 0, OWNER) ? -RQSPIN_ETIMEDOUT : 0;
}

static __always_inline void word_release(struct word_lock __arena *lock)
{
	(void)__sync_lock_test_and_set(&lock->word, 0);
}

RES_ARENA_DEFINE(struct word_lock, word_take, word_release);

/* Each returns 0 if the lock was in the state that it expects. */
SEC("tc") int words_take(struct __sk_buff *skb)
{
	use_arena();
	if (res_arena_lock(&cells[1].lock))
		return 1;
	return __sync_val_compare_and_swap(&queue.val, 0, OWNER) != 0;
}

SEC("tc") int words_next(struct __sk_buff *skb)
{
	use_arena();
	return __sync_val_compare_and_swap(&queue.val, OWNER, OWNER | PENDING) != OWNER;
}

SEC("tc") int words_queue(struct __sk_buff *skb)
{
	__u32 was = OWNER | PENDING, end = END(bpf_get_smp_processor_id(), 0);

	use_arena();
	return __sync_val_compare_and_swap(&queue.val, was, was | end) != was;
}

/* Between the owner's release and the next one's acquisition, with an interrupt at the end. */
SEC("tc") int words_handover(struct __sk_buff *skb)
{
	use_arena();
	queue.val = END(bpf_get_smp_processor_id(), 2);
	return 0;
}

SEC("tc") int words_leave(struct __sk_buff *skb)
{
	use_arena();
	queue.val = 0;
	res_arena_unlock(&cells[1].lock);
	return 0;
}

extern void __arena *bpf_arena_alloc_pages(void *map, void __arena *at, __u32 nr, int node,
					   __u64 flags) __ksym;

#define HEAP_NODE -1 /* any */
#define HEAP_OFF  16

/* A lock that no variable has, taken: returns its offset from the first variable. */
SEC("syscall") int words_heap(void *ctx)
{
	struct word_lock __arena *lock;
	void __arena *page = bpf_arena_alloc_pages(&words_arena, 0, 1, HEAP_NODE, 0);

	if (!page)
		return 0;
	lock = page + HEAP_OFF;
	return res_arena_lock(lock) ? 0 : (int)((__u64)lock - (__u64)&cells[0]);
}

char LICENSE[] SEC("license") = "Dual BSD/GPL";
