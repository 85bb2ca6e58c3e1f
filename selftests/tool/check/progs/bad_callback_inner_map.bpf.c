// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* finds: cycle. What is called for each element of an inner map changes a pointer of its caller. */
#include "stack.bpf.h"

struct inner {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(max_entries, 1);
	__type(key, __u32);
	__type(value, __u32);
} first SEC(".maps");

struct {
	__uint(type, BPF_MAP_TYPE_ARRAY_OF_MAPS);
	__uint(max_entries, 1);
	__type(key, __u32);
	__array(values, struct inner);
} outer SEC(".maps") = { .values = { &first } };

struct chosen {
	struct elem *elem;
};

static long elem_choose(void *map, __u32 *key, __u32 *value, struct chosen *chosen)
{
	struct elem *elem = elem_of(&users, 1);

	if (elem)
		chosen->elem = elem;
	return 0;
}

SEC("tc")
int one_way(struct __sk_buff *ctx)
{
	void *map = elem_of(&outer, 0);
	struct chosen chosen = { elem_of(&users, 0) };

	if (!chosen.elem || !map)
		return 0;
	bpf_for_each_map_elem(map, elem_choose, &chosen, 0);
	return under_table(chosen.elem);
}

OTHER_WAY(1)
