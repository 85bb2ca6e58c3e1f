// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * AA on elements of hash maps whose long keys begin alike: each role locks the elements of two keys
 * that differ in the last byte only, each of them twice.
 */
#include "test_kfuncs.h"
#include <rqspin/res_events.bpf.h>

struct locked {
	struct bpf_res_spin_lock lock;
	__u32 id;
};

#define KEYS(bytes)                                                     \
	struct key_##bytes {                                            \
		__u8 byte[bytes];                                       \
	};                                                              \
	struct {                                                        \
		__uint(type, BPF_MAP_TYPE_HASH);                        \
		__uint(max_entries, 2);                                 \
		__type(key, struct key_##bytes);                        \
		__type(value, struct locked);                           \
	} hash_##bytes SEC(".maps");                                    \
	struct key_##bytes first_##bytes, second_##bytes;               \
	SEC("tc")                                                       \
	int keys_##bytes(struct __sk_buff *ctx)                         \
	{                                                               \
		second_##bytes.byte[bytes - 1] = 0xaa;                  \
		return twice(&hash_##bytes, &first_##bytes) +           \
		       twice(&hash_##bytes, &second_##bytes) + EDEADLK; \
	}

#define EDEADLK 35

static __always_inline int twice(void *hash, void *key)
{
	struct locked *once, *again, new = {};
	struct res_scope scope;
	int err;

	if (!bpf_map_lookup_elem(hash, key))
		bpf_map_update_elem(hash, key, &new, BPF_ANY);
	once = bpf_map_lookup_elem(hash, key);
	again = bpf_map_lookup_elem(hash, key);
	if (!once || !again)
		return 1;
	res_scope_begin(&scope);
	err = bpf_res_spin_lock(&once->lock);
	if (err)
		return err;
	err = bpf_res_spin_lock(&again->lock);
	if (err)
		res_scope_fail(&scope, &again->lock, err);
	else
		bpf_res_spin_unlock(&again->lock);
	bpf_res_spin_unlock(&once->lock);
	return err;
}

KEYS(64)
KEYS(65)
KEYS(480)
KEYS(1000)

char _license[] SEC("license") = "Dual BSD/GPL";
