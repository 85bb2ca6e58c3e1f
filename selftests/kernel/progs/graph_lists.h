/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Lists in map elements, and the nodes of lists and trees. */
#ifndef RQSPIN_TEST_GRAPH_LISTS_H
#define RQSPIN_TEST_GRAPH_LISTS_H

#include "graph.h"

struct item {
	struct bpf_list_node link;
	__u64 key;
};

struct leaf {
	struct bpf_rb_node branch;
	__u64 key;
};

struct rooted {
	struct bpf_res_spin_lock lock;
	struct bpf_list_head head __contains(item, link);
	__u64 number;
};

struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(max_entries, 2);
	__type(key, __u32);
	__type(value, struct rooted);
} lists SEC(".maps");

static __always_inline struct rooted *list_of(__u32 key)
{
	return bpf_map_lookup_elem(&lists, &key);
}

#endif
