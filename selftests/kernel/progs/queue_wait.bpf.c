// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * One owner, three waiters with many locks each, which all time out: the first has the pending
 * bit, the others are in the queue. `rqspin run FILE --roles queue_own,queue_0,queue_1,queue_2`.
 */
#include "test_kfuncs.h"
#include "wait_value.h"

#define WAITERS 3
#define HELD	10 /* more locks than an event has room for */

struct bag {
	struct bpf_res_spin_lock lock;
};

struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(max_entries, WAITERS *HELD);
	__type(key, __u32);
	__type(value, struct bag);
} bags SEC(".maps");

struct bpf_res_spin_lock lock_x __hidden SEC(".data.lock_x");
struct bpf_res_spin_lock lock_y __hidden SEC(".data.lock_y");

__u64 arrived, given_up;

/* Takes a second lock above the awaited one: the table then shows that this CPU holds the first. */
SEC("tc")
int queue_own(struct __sk_buff *ctx)
{
	__u64 until = given_up + WAITERS;
	int err;

	err = bpf_res_spin_lock(&lock_x);
	if (err)
		return err;
	err = bpf_res_spin_lock(&lock_y);
	if (err) {
		bpf_res_spin_unlock(&lock_x);
		return err;
	}
	if (wait_parties(&arrived, WAITERS + 1))
		wait_value(&given_up, until);
	bpf_res_spin_unlock(&lock_y);
	bpf_res_spin_unlock(&lock_x);
	return 0;
}

static __always_inline int wait_with_bags(__u32 first)
{
	struct bag *b[HELD];
	int err = 0, n;

	for (n = 0; n < HELD; n++) {
		__u32 key = first + n;

		b[n] = bpf_map_lookup_elem(&bags, &key);
		if (!b[n])
			return 1;
	}
	for (n = 0; n < HELD; n++) {
		err = bpf_res_spin_lock(&b[n]->lock);
		if (err)
			break;
	}
	if (!err && wait_parties(&arrived, WAITERS + 1)) {
		err = bpf_res_spin_lock(&lock_x);
		if (!err)
			bpf_res_spin_unlock(&lock_x);
	}
	while (n-- > 0)
		bpf_res_spin_unlock(&b[n]->lock);
	return err;
}

#define WAITER(nth)                                   \
	SEC("tc")                                     \
	int queue_##nth(struct __sk_buff *ctx)        \
	{                                             \
		int err = wait_with_bags(nth * HELD); \
                                                      \
		__sync_fetch_and_add(&given_up, 1);   \
		return err;                           \
	}

WAITER(0)
WAITER(1)
WAITER(2)

char _license[] SEC("license") = "Dual BSD/GPL";
