// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Self-reported failures, read back by check_events.c. */
#include "test.bpf.h"
#include <rqspin/res_events.bpf.h>
#include <rqspin/res_guard.bpf.h>

struct {
	__u64 lock_addr[2];
	__u32 fail_line;
} expected;

SEC("tc") int events_with_a_long_name(struct __sk_buff *skb)
{
	struct slot *outer = slot_of(1), *a = slot_of(0), *again = slot_of(0);
	struct res_scope scope;
	int told = 0;

	CHECK(outer && a && again);
	expected.lock_addr[0] = (__u64)&outer->lock;
	expected.lock_addr[1] = (__u64)&a->lock;
	res_scope_begin(&scope);
	res_guard(&outer->lock) {
		res_guard_here(&a->lock, err, return __LINE__);
		expected.fail_line = __LINE__ + 1;
		res_guard(&again->lock)
			told = 1;
		res_guard_failed(err) {
			told = err;
			res_scope_fail(&scope, &again->lock, err);
		}
	}
	res_guard_failed(err) {
		return __LINE__;
	}
	CHECK(told == -RQSPIN_EDEADLK);
	return 0;
}
