// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* A timer is cancelled or freed with interrupts off while its callback runs on another CPU. */
#include "test_kfuncs.h"

#define CLOCK_MONOTONIC 1

struct timed {
	struct bpf_timer timer;
};

#define TIMERS(name, kind)                         \
	struct {                                   \
		__uint(type, BPF_MAP_TYPE_##kind); \
		__uint(max_entries, 1);            \
		__type(key, __u32);                \
		__type(value, struct timed);       \
	} name SEC(".maps")

TIMERS(hash, HASH);
TIMERS(array, ARRAY);
TIMERS(lru, LRU_HASH);

__u32 release;
/* Stage of the callback: 0 before, 1 in it, 2 after; and the stage when the call returned. */
__u32 stage, stage_after;
/* How long the call took: interrupts are off for as long. */
__u64 call_ns;
/* The time for which the kernel lets one loop run, and the number of loops in the callback. */
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

static int timer_stay(void *map, __u32 *key, struct timed *value)
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

static __always_inline int start_timer(void *map)
{
	struct timed zero = {}, *value;
	__u32 key = 0;
	int err = bpf_map_update_elem(map, &key, &zero, BPF_ANY);

	value = err ? NULL : bpf_map_lookup_elem(map, &key);
	if (!value)
		return err ?: -1;
	err = bpf_timer_init(&value->timer, map, CLOCK_MONOTONIC);
	err = err ?: bpf_timer_set_callback(&value->timer, timer_stay);
	return err ?: bpf_timer_start(&value->timer, 1000, 0);
}

#define STARTS(map)                       \
	SEC("tc")                         \
	int start_in_##map(void *ctx)     \
	{                                 \
		return start_timer(&map); \
	}

STARTS(hash)
STARTS(array)
STARTS(lru)

#define timed_with_irqs_off(call)                                      \
	({                                                             \
		int __err;                                             \
                                                                       \
		irqs_off(call_ns = bpf_ktime_get_ns(); __err = (call); \
			 call_ns = bpf_ktime_get_ns() - call_ns);      \
		stage_after = *(volatile __u32 *)&stage;               \
		__err;                                                 \
	})

SEC("tc")
int cancel(void *ctx)
{
	struct timed *value;
	__u32 key = 0;

	value = bpf_map_lookup_elem(&hash, &key);
	return value ? timed_with_irqs_off(bpf_timer_cancel(&value->timer)) : -1;
}

SEC("tc")
int delete(void *ctx)
{
	__u32 key = 0;

	return timed_with_irqs_off(bpf_map_delete_elem(&hash, &key));
}

SEC("tc")
int replace(void *ctx)
{
	struct timed zero = {};
	__u32 key = 0;

	return timed_with_irqs_off(bpf_map_update_elem(&hash, &key, &zero, BPF_EXIST));
}

SEC("tc")
int replace_in_array(void *ctx)
{
	struct timed zero = {};
	__u32 key = 0;

	return timed_with_irqs_off(bpf_map_update_elem(&array, &key, &zero, BPF_EXIST));
}

/* The map has room for one element only. */
SEC("tc")
int evict(void *ctx)
{
	struct timed zero = {};
	__u32 key = 1;

	return timed_with_irqs_off(bpf_map_update_elem(&lru, &key, &zero, BPF_NOEXIST));
}

char _license[] SEC("license") = "GPL";
