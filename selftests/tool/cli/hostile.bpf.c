// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Reports its deadlock under a name that ends the line and clears the screen, from a source line
 * that does the same: a program may write anything into its own ring and BTF. ESC is replaced by
 * that character before this is compiled, under a file name of the same kind.
 */
#include "vmlinux.h"
#include <bpf/bpf_helpers.h>
#include <rqspin/res_spin_lock.bpf.h>
#include <rqspin/res_events.bpf.h>

#define HOSTILE "x\n\x1b[2J\xc2\x9b\xff"

struct slot {
	struct bpf_res_spin_lock lock;
	__u64 value;
};

struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(max_entries, 1);
	__type(key, __u32);
	__type(value, struct slot);
} locks SEC(".maps");

static __always_inline int lock_twice(struct res_scope *scope)
{
	struct slot *first, *again;
	__u32 key = 0;
	int err;

	first = bpf_map_lookup_elem(&locks, &key);
	again = bpf_map_lookup_elem(&locks, &key);
	if (!first || !again)
		return 0;
	err = res_spin_lock(&first->lock);
	if (err)
		return err;
	err = res_spin_lock(&again->lock); /* ESC[2J */
	if (err)
		res_scope_fail(scope, &again->lock, err);
	else
		res_spin_unlock(&again->lock);
	res_spin_unlock(&first->lock);
	return err;
}

SEC("tc")
int hostile_name(struct __sk_buff *skb)
{
	struct res_scope scope;

	res_scope_begin(&scope);
	__builtin_memcpy(scope.prog, HOSTILE, sizeof(HOSTILE));
	return lock_twice(&scope);
}

SEC("tc")
int hostile_line(struct __sk_buff *skb)
{
	struct res_scope scope;

	res_scope_begin(&scope);
	return lock_twice(&scope);
}

char _license[] SEC("license") = "Dual BSD/GPL";
