/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Failures that only the program's own ring reports, on every kernel, in microseconds: the lock is
 * the fallback. The files that include this differ in RQSPIN_RING_EVENTS only.
 */
#ifndef RINGS_BPF_H
#define RINGS_BPF_H

#include "vmlinux.h"
#include <bpf/bpf_helpers.h>
#include <rqspin/res_spin_fallback.bpf.h>
#include <rqspin/res_events.bpf.h>

#define LOCKS 1024 /* power of two; more than RQSPIN_RING_GROUPS */

RES_FALLBACK_DEFINE;

struct slot {
	__u32 lock;
};

struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(max_entries, LOCKS);
	__type(key, __u32);
	__type(value, struct slot);
} slots SEC(".maps");

__u32 next;

static __always_inline int take_twice(struct res_scope *scope, __u32 *first, __u32 *again)
{
	int err = res_fb_lock(first);

	if (err)
		return err;
	err = res_fb_lock(again);
	if (err)
		res_scope_fail(scope, again, err);
	else
		res_fb_unlock(again);
	res_fb_unlock(first);
	return err;
}

#define FAIL_AT(key)                                                  \
	do {                                                          \
		struct slot *slot = bpf_map_lookup_elem(&slots, key); \
		struct res_scope scope;                               \
                                                                      \
		if (!slot)                                            \
			return 0;                                     \
		res_scope_begin(&scope);                              \
		return take_twice(&scope, &slot->lock, &slot->lock);  \
	} while (0)

SEC("tc") int one_lock(struct __sk_buff *ctx)
{
	__u32 key = 0;

	FAIL_AT(&key);
}

/* Two of three failures are of another lock. */
SEC("tc") int two_locks(struct __sk_buff *ctx)
{
	__u32 key = next++ % 3 ? 2 : 1;

	FAIL_AT(&key);
}

SEC("tc") int many_locks(struct __sk_buff *ctx)
{
	__u32 key = next++ & (LOCKS - 1);

	FAIL_AT(&key);
}

char _license[] SEC("license") = "Dual BSD/GPL";

#endif
