/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Maps with locks inside, for programs of maps/. */
#ifndef INNER_BPF_H
#define INNER_BPF_H

#include <linux/bpf.h>
#include <linux/types.h>
#include <bpf/bpf_helpers.h>

char _license[] SEC("license") = "GPL";

#define MAP(type_, name, flags_)                    \
	struct {                                    \
		__uint(type, BPF_MAP_TYPE_##type_); \
		__uint(map_flags, flags_);          \
		__uint(max_entries, 64);            \
		__type(key, __u32);                 \
		__type(value, __u64);               \
	} name SEC(".maps")

struct trie_key {
	__u32 length;
	__u32 address;
};

#define TRIE(name)                                    \
	struct {                                      \
		__uint(type, BPF_MAP_TYPE_LPM_TRIE);  \
		__uint(map_flags, BPF_F_NO_PREALLOC); \
		__uint(max_entries, 64);              \
		__type(key, struct trie_key);         \
		__type(value, __u64);                 \
	} name SEC(".maps")

#define RING(name)                                  \
	struct {                                    \
		__uint(type, BPF_MAP_TYPE_RINGBUF); \
		__uint(max_entries, 4096);          \
	} name SEC(".maps")

#define QUEUE(type_, name)                          \
	struct {                                    \
		__uint(type, BPF_MAP_TYPE_##type_); \
		__uint(max_entries, 64);            \
		__type(value, __u64);               \
	} name SEC(".maps")

__u64 failures;

static __always_inline __attribute__((unused)) int inner_put(void *map)
{
	__u32 key = bpf_get_smp_processor_id();
	__u64 value = 1;

	if (bpf_map_update_elem(map, &key, &value, BPF_ANY))
		__sync_fetch_and_add(&failures, 1);
	return 0;
}

static __always_inline __attribute__((unused)) int inner_drop(void *map)
{
	__u32 key = bpf_get_smp_processor_id();

	return bpf_map_delete_elem(map, &key) ? 0 : 1;
}

static __always_inline __attribute__((unused)) __u64 inner_get(void *map)
{
	__u32 key = bpf_get_smp_processor_id();
	__u64 *value = bpf_map_lookup_elem(map, &key);

	return value ? *value : 0;
}

static __always_inline __attribute__((unused)) int put_route(void *map)
{
	struct trie_key key = { 32, bpf_get_smp_processor_id() };
	__u64 value = 1;

	return bpf_map_update_elem(map, &key, &value, BPF_ANY) ? 0 : 1;
}

static __always_inline __attribute__((unused)) int inner_emit(void *ring)
{
	__u64 *record = bpf_ringbuf_reserve(ring, sizeof(*record), 0);

	if (!record)
		return 0;
	*record = bpf_ktime_get_ns();
	bpf_ringbuf_submit(record, 0);
	return 0;
}

static __always_inline __attribute__((unused)) int inner_push(void *map)
{
	__u64 value = 1;

	return bpf_map_push_elem(map, &value, 0) ? 0 : 1;
}

#define PROG(section, name, what)        \
	SEC(section) int name(void *ctx) \
	{                                \
		what;                    \
		return 0;                \
	}

#endif
