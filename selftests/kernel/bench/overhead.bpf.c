// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * The cost of tracing: "uncontended" is 1000 uncontended lock/unlock pairs, "failing" one
 * AA failure, both without any reporting of their own. "reporting" is the same
 * failure, self-reported. Timed by BPF_PROG_TEST_RUN's own average.
 */
#include "vmlinux.h"
#include <bpf/bpf_helpers.h>
#include <rqspin/res_spin_lock.bpf.h>
#include <rqspin/res_events.bpf.h>

#define PAIRS 1000

struct locked {
	struct bpf_res_spin_lock lock;
};

struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(max_entries, 1);
	__type(key, __u32);
	__type(value, struct locked);
} locks SEC(".maps");

SEC("tc")
int uncontended(struct __sk_buff *ctx)
{
	__u32 key = 0;
	struct locked *v = bpf_map_lookup_elem(&locks, &key);

	if (!v)
		return -1;
	for (int i = 0; i < PAIRS; i++) {
		if (res_spin_lock(&v->lock))
			return -1;
		res_spin_unlock(&v->lock);
	}
	return 0;
}

SEC("tc")
int failing(struct __sk_buff *ctx)
{
	__u32 key = 0;
	struct locked *a = bpf_map_lookup_elem(&locks, &key);
	struct locked *b = bpf_map_lookup_elem(&locks, &key);
	int err;

	if (!a || !b)
		return -1;
	err = res_spin_lock(&a->lock);
	if (err)
		return err;
	err = res_spin_lock(&b->lock);
	if (!err)
		res_spin_unlock(&b->lock);
	res_spin_unlock(&a->lock);
	return err;
}

SEC("tc")
int reporting(struct __sk_buff *ctx)
{
	__u32 key = 0;
	struct locked *a = bpf_map_lookup_elem(&locks, &key);
	struct locked *b = bpf_map_lookup_elem(&locks, &key);
	struct res_scope scope;
	int err;

	if (!a || !b)
		return -1;
	res_scope_begin(&scope);
	err = res_spin_lock(&a->lock);
	if (err)
		return err;
	err = res_spin_lock(&b->lock);
	if (!err)
		res_spin_unlock(&b->lock);
	else
		res_scope_fail(&scope, &b->lock, err);
	res_spin_unlock(&a->lock);
	return err;
}

char _license[] SEC("license") = "GPL";
