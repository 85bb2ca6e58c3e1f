/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Samples are queued for a timer's callback, which takes them out. */
/* later: EBUSY */
/* plain: EBUSY */
#include "inner.bpf.h"

QUEUE(QUEUE, samples);

struct slot {
	struct bpf_timer timer;
};

struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(max_entries, 1);
	__type(key, __u32);
	__type(value, struct slot);
} slots SEC(".maps");

static int take_later(void *map, __u32 *key, struct slot *slot)
{
	__u64 sample;

	return bpf_map_pop_elem(&samples, &sample) ? 0 : 0;
}

PROG("perf_event", on_sample, inner_push(&samples))

SEC("tc") int starts(struct __sk_buff *skb)
{
	__u32 zero = 0;
	struct slot *slot = bpf_map_lookup_elem(&slots, &zero);

	if (!slot)
		return 0;
	bpf_timer_init(&slot->timer, &slots, 1);
	bpf_timer_set_callback(&slot->timer, take_later);
	bpf_timer_start(&slot->timer, 1000, 0);
	return 0;
}
