/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Two elements of one map, taken in some order. */
#ifndef ORDERS_BPF_H
#define ORDERS_BPF_H

#include "maps.bpf.h"

struct {
	__uint(type, BPF_MAP_TYPE_HASH);
	__uint(max_entries, 64);
	__type(key, __u64);
	__type(value, struct elem);
} wide SEC(".maps");

struct pair {
	__u64 a, b;
};

#define take_keys(map, a, b)                                     \
	({                                                       \
		struct elem *x_ = bpf_map_lookup_elem(&map, &a), \
			    *y_ = bpf_map_lookup_elem(&map, &b); \
                                                                 \
		x_ &&y_ ? take_both(&x_->lock, &y_->lock) : 0;   \
	})

#endif
