// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Two locks are taken in one order, even if programs name them in different orders. The driver runs
 * X_ab and X_ba on two CPUs at once, many times, and sums up the runs and errors that they count.
 */
#include "test.bpf.h"
#include <rqspin/res_lock_pair.bpf.h>

RES_ORDERED_LOCK(upper);
RES_ORDERED_LOCK(lower);

struct {
	__u64 runs;
	__u64 errors;
	__u64 protected_count;
} counts;

static __always_inline int error_count(int err)
{
	__sync_fetch_and_add(&counts.runs, 1);
	if (err)
		__sync_fetch_and_add(&counts.errors, 1);
	return err;
}

static __always_inline int named_in_order(__u32 i, __u32 j)
{
	struct slot *a = slot_of(i), *b = slot_of(j);
	struct res_pair pair;
	int err;

	CHECK(a && b);
	err = res_pair_lock(&pair, &a->lock, &b->lock);
	if (err)
		return err;
	if (i < 2)
		counts.protected_count++;
	/* Elements of one array map: the address order is the index order. */
	err = i < j ? pair.first != &a->lock : pair.first != &b->lock;
	res_pair_unlock(&pair);
	return err;
}

SEC("tc") int contended_ab(struct __sk_buff *skb)
{
	return error_count(named_in_order(0, 1));
}

SEC("tc") int contended_ba(struct __sk_buff *skb)
{
	return error_count(named_in_order(1, 0));
}

SEC("tc") int same_lock_fails(struct __sk_buff *skb)
{
	CHECK(named_in_order(2, 2) == -RQSPIN_EDEADLK);
	CHECK(is_free(2));
	return 0;
}

/* The second lock fails: the first one must not stay taken. */
SEC("tc") int second_fails(struct __sk_buff *skb)
{
	struct slot *held = slot_of(3), *again = slot_of(3), *low = slot_of(2);
	struct res_pair pair;
	int err;

	CHECK(held && again && low);
	err = res_spin_lock(&held->lock);
	if (err)
		return __LINE__;
	err = res_pair_lock(&pair, &again->lock, &low->lock);
	if (!err)
		res_pair_unlock(&pair);
	res_spin_unlock(&held->lock);
	CHECK(err == -RQSPIN_EDEADLK);
	CHECK(is_free(2) && is_free(3));
	return 0;
}

SEC("tc") int contended_declared_ab(struct __sk_buff *skb)
{
	struct res_pair pair;
	int err = res_pair_lock_ordered(&pair, upper, lower);

	if (err)
		return error_count(err);
	err = pair.first != &upper;
	counts.protected_count++;
	res_pair_unlock(&pair);
	return error_count(err);
}

SEC("tc") int contended_declared_ba(struct __sk_buff *skb)
{
	struct res_pair pair;
	int err = res_pair_lock_ordered(&pair, lower, upper);

	if (err)
		return error_count(err);
	err = pair.first != &upper;
	counts.protected_count++;
	res_pair_unlock(&pair);
	return error_count(err);
}

static __noinline int pair_guarded(__u32 how)
{
	struct slot *a = slot_of(0), *b = slot_of(how == 9 ? 0 : 1);

	if (!a || !b)
		return -1;
	res_guard_pair(&b->lock, &a->lock) {
		if (how == 1)
			return 1;
		if (how == 2)
			break;
		if (how == 3)
			goto out;
	}
	res_guard_failed(err) {
		return err;
	}
	return 5;
out:
	return 3;
}

SEC("tc") int guard_exits(struct __sk_buff *skb)
{
	CHECK(pair_guarded(1) == 1 && is_free(0) && is_free(1));
	CHECK(pair_guarded(2) == 5 && is_free(0) && is_free(1));
	CHECK(pair_guarded(3) == 3 && is_free(0) && is_free(1));
	CHECK(pair_guarded(0) == 5 && is_free(0) && is_free(1));
	CHECK(pair_guarded(9) == -RQSPIN_EDEADLK && is_free(0) && is_free(1));
	return 0;
}
