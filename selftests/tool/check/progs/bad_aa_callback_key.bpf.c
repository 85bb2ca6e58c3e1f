// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* finds: aa. The key that a function is given leads to the element that it is given. */
#include "maps.bpf.h"

static long take_again(void *map, __u32 *key, struct elem *elem, void *arg)
{
	struct elem *other = bpf_map_lookup_elem(&flows, key);

	return other && take_both(&elem->lock, &other->lock);
}

SEC("tc")
int each(struct __sk_buff *ctx)
{
	return bpf_for_each_map_elem(&flows, take_again, NULL, 0);
}
