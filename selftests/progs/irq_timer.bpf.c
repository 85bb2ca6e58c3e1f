// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* A timer's callback runs on another CPU while its timer goes away, with interrupts off. */
#include "test_kfuncs.h"

#define CLOCK_MONOTONIC 1

struct timed {
	struct bpf_timer timer;
};

struct {
	__uint(type, BPF_MAP_TYPE_HASH);
	__uint(max_entries, 1);
	__type(key, __u32);
	__type(value, struct timed);
} timers SEC(".maps");

__u32 release;
/* Of the callback: 0 before, 1 in it, 2 after. And what it was when the call came back. */
__u32 stage, stage_after;
/* How long the kernel lets one of our loops go on, and so many of them the callback stays. */
__u64 loop_ns;
int loops = 1;

static __noinline bool stay_on(void)
{
	while (may_loop) {
		if (*(volatile __u32 *)&release)
			return false;
	}
	return true;
}

static int stay(void *map, __u32 *key, struct timed *value)
{
	int i;

	*(volatile __u32 *)&stage = 1;
	for (i = 0; may_loop && i < loops; i++) {
		if (!stay_on())
			break;
	}
	*(volatile __u32 *)&stage = 2;
	return 0;
}

SEC("tc")
int measure(void *ctx)
{
	__u64 begin = bpf_ktime_get_ns();

	stay_on();
	loop_ns = bpf_ktime_get_ns() - begin;
	return 0;
}

SEC("tc")
int start(void *ctx)
{
	struct timed zero = {}, *value;
	__u32 key = 0;
	int err = bpf_map_update_elem(&timers, &key, &zero, BPF_ANY);

	value = err ? NULL : bpf_map_lookup_elem(&timers, &key);
	if (!value)
		return err ?: -1;
	err = bpf_timer_init(&value->timer, &timers, CLOCK_MONOTONIC);
	err = err ?: bpf_timer_set_callback(&value->timer, stay);
	return err ?: bpf_timer_start(&value->timer, 1000, 0);
}

SEC("tc")
int cancel(void *ctx)
{
	struct timed *value;
	__u32 key = 0;
	int err;

	value = bpf_map_lookup_elem(&timers, &key);
	if (!value)
		return -1;
	irqs_off(err = bpf_timer_cancel(&value->timer));
	stage_after = *(volatile __u32 *)&stage;
	return err;
}

SEC("tc")
int delete(void *ctx)
{
	__u32 key = 0;
	int err;

	irqs_off(err = bpf_map_delete_elem(&timers, &key));
	stage_after = *(volatile __u32 *)&stage;
	return err;
}

char _license[] SEC("license") = "GPL";
