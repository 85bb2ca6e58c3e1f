// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Waits whose number and length the waiters measure themselves: an owner and two waiters, each on
 * a CPU of its own, meet before each round; the owner releases when both waiters wait. "one": the
 * same lock in each round, held for long; "many": another lock in each round. Each repetition of a
 * program's test run is one round.
 */
#include "test_kfuncs.h"
#include <bpf/bpf_core_read.h>

#define PARTIES 3
#define LOCKS	1000
#define LONG	(1 << 18) /* turns of a loop */
#define TAIL	0xffff0000

extern void *bpf_rdonly_cast(const void *obj, __u32 btf_id) __weak __ksym;

struct slot {
	struct bpf_res_spin_lock lock;
};

struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(max_entries, 1);
	__type(key, __u32);
	__type(value, struct slot);
} one SEC(".maps");

struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(max_entries, LOCKS);
	__type(key, __u32);
	__type(value, struct slot);
} many SEC(".maps");

__u64 arrived, turn;

/* By order of acquisition: the first waiter has the pending bit if the lock has one. */
struct {
	__u64 count, total_ns, max_ns;
} waited[2];
__u64 failed;

/* Waits for all parties; returns the number of their meeting. */
static __noinline __u64 parties_meet(void)
{
	__u64 round = __sync_fetch_and_add(&arrived, 1) / PARTIES;
	__u32 i, j;

	bpf_for(i, 0, 1 << 10)
		bpf_for(j, 0, 1 << 20)
			if (*(volatile __u64 *)&arrived >= (round + 1) * PARTIES)
				return round;
	return round;
}

/* Hold until both wait: if one waiter is in the lock's queue, another one is before it. */
static __always_inline void slot_hold(const struct qspinlock *word, __u32 spins)
{
	__u32 i, j, free = word->val.counter & TAIL;
	__u64 before = failed;

	/* On a busy machine the first may time out before the second one comes. */
	bpf_for(i, 0, 1 << 10)
		bpf_for(j, 0, 1 << 20)
			if ((*(volatile const __u32 *)&word->val.counter & TAIL) != free ||
			    *(volatile __u64 *)&failed != before)
				goto queued;
queued:
	bpf_for(i, 0, spins)
		if (*(volatile __u64 *)&failed != before)
			break;
}

static __always_inline int slot_own(struct slot *s, __u32 spins)
{
	const struct qspinlock *word;
	int err;

	if (!s)
		return 1;
	/* The lock as the kernel sees it. */
	word = bpf_rdonly_cast(&s->lock, bpf_core_type_id_kernel(struct qspinlock));
	err = bpf_res_spin_lock(&s->lock);
	if (err)
		return err;
	turn = 0;
	parties_meet();
	slot_hold(word, spins);
	bpf_res_spin_unlock(&s->lock);
	parties_meet();
	return 0;
}

static __always_inline int slot_wait(struct slot *s)
{
	__u64 start, ns, nth = 0;
	int err;

	if (!s)
		return 1;
	parties_meet();
	start = bpf_ktime_get_ns();
	err = bpf_res_spin_lock(&s->lock);
	if (!err) {
		nth = turn++ & 1;
		bpf_res_spin_unlock(&s->lock);
	}
	ns = bpf_ktime_get_ns() - start;
	if (err)
		__sync_fetch_and_add(&failed, 1);
	/* No atomics: only one waiter of a round is the nth, and rounds do not overlap. */
	if (!err) {
		waited[nth].count++;
		waited[nth].total_ns += ns;
		if (waited[nth].max_ns < ns)
			waited[nth].max_ns = ns;
	}
	parties_meet();
	return err;
}

/* The slot of this round: there are two meetings a round. */
static __always_inline struct slot *this_round(void *map, int locks)
{
	__u32 key = *(volatile __u64 *)&arrived / PARTIES / 2 % locks;

	return bpf_map_lookup_elem(map, &key);
}

SEC("tc")
int one_own(struct __sk_buff *ctx)
{
	return slot_own(this_round(&one, 1), LONG);
}

SEC("tc")
int one_0(struct __sk_buff *ctx)
{
	return slot_wait(this_round(&one, 1));
}

SEC("tc")
int one_1(struct __sk_buff *ctx)
{
	return slot_wait(this_round(&one, 1));
}

SEC("tc")
int many_own(struct __sk_buff *ctx)
{
	return slot_own(this_round(&many, LOCKS), 0);
}

SEC("tc")
int many_0(struct __sk_buff *ctx)
{
	return slot_wait(this_round(&many, LOCKS));
}

SEC("tc")
int many_1(struct __sk_buff *ctx)
{
	return slot_wait(this_round(&many, LOCKS));
}

char _license[] SEC("license") = "Dual BSD/GPL";
