/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * A test program is a tc program that returns 0, or the line of its first
 * failed check. To take the same lock twice on one CPU a test looks it up twice,
 * as the verifier refuses that for one pointer.
 */
#ifndef HEADERS_TEST_BPF_H
#define HEADERS_TEST_BPF_H

#include "vmlinux.h"
#include <bpf/bpf_helpers.h>
#include <rqspin/res_spin_lock.bpf.h>

#define CHECK(cond)                      \
	do {                             \
		if (!(cond))             \
			return __LINE__; \
	} while (0)

struct slot {
	struct bpf_res_spin_lock lock;
	__u32 count;
};

struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(max_entries, 4);
	__type(key, __u32);
	__type(value, struct slot);
} slots SEC(".maps");

static __always_inline struct slot *slot_of(__u32 i)
{
	return bpf_map_lookup_elem(&slots, &i);
}

/* Whether the lock is free, found out by taking it. */
static __always_inline bool is_free(__u32 i)
{
	struct slot *s = slot_of(i);

	if (!s || res_spin_lock(&s->lock))
		return false;
	res_spin_unlock(&s->lock);
	return true;
}

char _license[] SEC("license") = "Dual BSD/GPL";

#endif
