// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* A pair's report names the lock that failed, and the other one among the held locks. */
#include "test.bpf.h"
#include <rqspin/res_events.bpf.h>
#include <rqspin/res_lock_pair.bpf.h>

/* If the kernel's table cannot be found, kind and held locks are unknown, except a pair of one. */
static __always_inline int event_check(__u32 line, __u64 lock, __u32 kind, __u64 held0, __u64 held1)
{
	struct rqspin_event *ev =
		&rqspin_ring.slots[(rqspin_ring.head - 1) & (RQSPIN_RING_EVENTS - 1)];

	CHECK(ev->line == line && ev->lock == lock && ev->err == -RQSPIN_EDEADLK);
	if (!rqspin_ring.held_delta) {
		CHECK(ev->nr_held == RQSPIN_HELD_UNKNOWN);
		return 0;
	}
	CHECK(ev->kind == kind);
	CHECK(ev->parties == (kind == RQSPIN_AA ? 1 : 2));
	CHECK(ev->nr_held == (held1 ? 2 : 1));
	CHECK(ev->held[0] == held0 && (!held1 || ev->held[1] == held1));
	return 0;
}

SEC("tc") int reports_second_of_pair(struct __sk_buff *skb)
{
	struct slot *outer = slot_of(3), *again = slot_of(3), *low = slot_of(2);
	struct res_scope scope;
	struct res_pair pair;
	__u32 line;
	int err;

	CHECK(outer && again && low);
	res_scope_begin(&scope);
	res_guard_here(&outer->lock, outer_err, return __LINE__);
	line = __LINE__ + 1;
	err = res_pair_lock(&pair, &again->lock, &low->lock);
	if (!err) {
		res_pair_unlock(&pair);
		return __LINE__;
	}
	res_scope_fail_pair(&scope, &pair, err);
	return event_check(line, (__u64)&again->lock, RQSPIN_AA, (__u64)&outer->lock,
			   (__u64)&low->lock);
}

SEC("tc") int reports_first_of_guarded(struct __sk_buff *skb)
{
	struct slot *outer = slot_of(2), *again = slot_of(2), *high = slot_of(3);
	struct res_scope scope;
	__u32 line;

	CHECK(outer && again && high);
	res_scope_begin(&scope);
	res_guard_here(&outer->lock, outer_err, return __LINE__);
	line = __LINE__ + 1;
	res_guard_pair(&high->lock, &again->lock)
		return __LINE__;
	res_guard_failed(err) {
		res_scope_fail_pair(&scope, res_guard_pair_failed(), err);
		return event_check(line, (__u64)&again->lock, RQSPIN_AA, (__u64)&outer->lock, 0);
	}
	return __LINE__;
}

SEC("tc") int reports_pair_of_one(struct __sk_buff *skb)
{
	struct slot *one = slot_of(1), *same = slot_of(1);
	struct res_scope scope;
	__u32 line;

	CHECK(one && same);
	res_scope_begin(&scope);
	line = __LINE__ + 1;
	res_guard_pair(&one->lock, &same->lock)
		return __LINE__;
	res_guard_failed(err) {
		res_scope_fail_pair(&scope, res_guard_pair_failed(), err);
		return event_check(line, (__u64)&one->lock, RQSPIN_AA, (__u64)&one->lock, 0);
	}
	return __LINE__;
}

/*
 * A failure as if by another CPU: this CPU does not hold the second lock and released the first.
 * The line is that of the report, as there is no lock call.
 */
SEC("tc") int reports_released_first(struct __sk_buff *skb)
{
	struct slot *a = slot_of(0), *b = slot_of(1);
	struct res_scope scope;
	struct res_pair pair;

	CHECK(a && b);
	pair.first = &a->lock;
	pair.second = pair.failed = &b->lock;
	res_scope_begin(&scope);
	res_scope_fail_pair(&scope, &pair, -RQSPIN_EDEADLK);
	return event_check(__LINE__ - 1, (__u64)&b->lock, RQSPIN_ABBA, (__u64)&a->lock, 0);
}
