/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Locks of each sort that a program can refer to, for the verifier tests. */
#ifndef RQSPIN_TEST_LOCKS_H
#define RQSPIN_TEST_LOCKS_H

#include "test_kfuncs.h"

#define NO_CALLS "function calls are not allowed while holding a lock"

struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(max_entries, 4);
	__type(key, __u32);
	__type(value, struct locked_value);
} values SEC(".maps");

/* A map with a lock cannot be mapped to user space: hidden globals, one per section. */
struct bpf_res_spin_lock lock_a __hidden SEC(".data.lock_a");
struct bpf_res_spin_lock lock_b __hidden SEC(".data.lock_b");

static __always_inline struct locked_value *element_of(__u32 key)
{
	return bpf_map_lookup_elem(&values, &key);
}

#endif
