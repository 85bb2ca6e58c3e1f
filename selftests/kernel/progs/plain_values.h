/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* A map with the older lock, for tests that hold both sorts. Include it after locks.h. */
#ifndef RQSPIN_TEST_PLAIN_VALUES_H
#define RQSPIN_TEST_PLAIN_VALUES_H

struct plain_locked {
	struct bpf_spin_lock lock;
	__u32 count;
};

struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(max_entries, 1);
	__type(key, __u32);
	__type(value, struct plain_locked);
} plain_values SEC(".maps");

#endif
