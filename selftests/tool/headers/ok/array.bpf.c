// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Every element of both kinds of arrays is a lock of its own; an index out of bounds is NULL. */
#include "test.bpf.h"
#include <rqspin/res_guard.bpf.h>
#include <rqspin/res_lock_array.bpf.h>

#define SEATS 5

RES_LOCK_MAP(table, struct slot, SEATS);
RES_LOCK_BANK(fork, 5);
RES_LOCK_BANK(wide, 32);

SEC("tc") int map_elements(struct __sk_buff *skb)
{
	int distinct = 0;

	for (__u32 i = 0; i < SEATS; i++) {
		struct slot *left = res_lock_map_elem(&table, i);
		struct slot *right = res_lock_map_elem(&table, (i + 1) % SEATS);

		CHECK(left && right);
		res_guard_here(&left->lock, err, return __LINE__);
		res_guard_here(&right->lock, err, return __LINE__);
		distinct++;
	}
	CHECK(distinct == SEATS);
	CHECK(!res_lock_map_elem(&table, SEATS));
	return 0;
}

static __noinline int take_two(__u32 i, __u32 j)
{
	struct bpf_res_spin_lock *left, *right;

	left = res_lock_bank(fork, 5, i);
	if (!left)
		return -1;
	res_guard_here(left, err, return err);
	right = res_lock_bank(fork, 5, j);
	if (!right)
		return -2;
	if (i == j)
		return -3;
	res_guard_here(right, err, return err);
	return 0;
}

SEC("tc") int bank_elements(struct __sk_buff *skb)
{
	for (__u32 i = 0; i < SEATS; i++)
		for (__u32 j = 0; j < SEATS; j++)
			CHECK(take_two(i, j) == (i == j ? -3 : 0));
	CHECK(take_two(SEATS, 0) == -1);
	CHECK(take_two(0, SEATS) == -2);
	return 0;
}

SEC("tc") int bank_of_32(struct __sk_buff *skb)
{
	int taken = 0;

	for (__u32 i = 0; i < 33; i++) {
		struct bpf_res_spin_lock *lock = res_lock_bank(wide, 32, i);

		if (!lock)
			continue;
		res_guard(lock)
			taken++;
		res_guard_failed(err)
			return __LINE__;
	}
	CHECK(taken == 32);
	return 0;
}
