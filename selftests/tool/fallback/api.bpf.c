// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * The one API on whatever the kernel offers: the kfunc, or the fallback. Written
 * as a user would, with the kfunc's rules: no helper call while a lock is held.
 */
#include "vmlinux.h"
#include <bpf/bpf_helpers.h>
#include <rqspin/res_spin_fallback.bpf.h>
#include <rqspin/res_events.bpf.h>
#include "shared.h"

#define OVERLAP_LOOKS 256

char LICENSE[] SEC("license") = "Dual BSD/GPL";

RES_FALLBACK_DEFINE;

struct value {
	struct bpf_res_spin_lock lock;
	__u64 guarded[2];
};

struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(max_entries, 2);
	__type(key, __u32);
	__type(value, struct value);
} values SEC(".maps");

struct bpf_res_spin_lock global __hidden SEC(".data.global");

__u64 torn;
__u64 taken;
__u64 failed;
__u64 other_errors;
__u64 idle;
/* The default limit of the header; fallback.bpf.c has another one. */
const volatile __u64 limit_ns = RES_FALLBACK_TIMEOUT_NS;
/* Written at load: whether the kfunc is in use. */
__u32 kfunc;

SEC("syscall")
int api_backend(void *ctx __attribute__((unused)))
{
	kfunc = res_spin_lock_supported();
	return 0;
}

/* Two look-ups of one value: the verifier refuses the same lock twice if it can see that. */
SEC("tc")
int api_aa(struct __sk_buff *skb __attribute__((unused)))
{
	struct res_scope scope;
	__u32 key = 0;
	struct value *v = bpf_map_lookup_elem(&values, &key);
	struct value *again = bpf_map_lookup_elem(&values, &key);
	int err;

	if (!v || !again)
		return 1;
	res_scope_begin(&scope);
	err = res_spin_lock(&v->lock);
	if (err)
		return err;
	err = res_spin_lock(&again->lock);
	if (err)
		res_scope_fail(&scope, &again->lock, err);
	else
		res_spin_unlock(&again->lock);
	res_spin_unlock(&v->lock);
	return err;
}

SEC("xdp")
int api_aa_irqsave(struct xdp_md *xdp __attribute__((unused)))
{
	unsigned long outer, inner;
	__u32 key = 1;
	struct value *v = bpf_map_lookup_elem(&values, &key);
	struct value *again = bpf_map_lookup_elem(&values, &key);
	int err;

	if (!v || !again)
		return 1;
	err = res_spin_lock_irqsave(&v->lock, &outer);
	if (err)
		return err;
	err = res_spin_lock_irqsave(&again->lock, &inner);
	if (!err)
		res_spin_unlock_irqrestore(&again->lock, &inner);
	res_spin_unlock_irqrestore(&v->lock, &outer);
	return err;
}

SEC("xdp")
int api_global(struct xdp_md *xdp __attribute__((unused)))
{
	int err = res_spin_lock(&global);

	if (!err)
		res_spin_unlock(&global);
	return err;
}

/* One acquisition per run; the repeat count of the test run gives many of them. */
SEC("tc")
int api_crowd(struct __sk_buff *skb __attribute__((unused)))
{
	volatile __u64 *g;
	__u32 key = 0;
	struct value *v = bpf_map_lookup_elem(&values, &key);
	__u64 before;

	if (!v)
		return 1;
	if (res_spin_lock(&v->lock)) {
		__sync_fetch_and_add(&failed, 1);
		return 0;
	}
	g = v->guarded;
	before = g[0];
	if (before != g[1])
		__sync_fetch_and_add(&torn, 1);
	g[0] = before + 1;
	g[1] = before + 1;
	res_spin_unlock(&v->lock);
	__sync_fetch_and_add(&taken, 1);
	return 0;
}

static __always_inline int take_opposed(__u32 first, __u32 second)
{
	struct value *a = bpf_map_lookup_elem(&values, &first);
	struct value *b = bpf_map_lookup_elem(&values, &second);
	int i, err;

	if (!a || !b)
		return 1;
	err = res_spin_lock(&a->lock);
	if (err)
		return err;
	for (i = 0; i < OVERLAP_LOOKS; i++)
		(void)*(volatile __u64 *)&idle;
	err = res_spin_lock(&b->lock);
	if (!err)
		res_spin_unlock(&b->lock);
	res_spin_unlock(&a->lock);
	return err;
}

static __always_inline int count_opposed(int err)
{
	if (!err)
		__sync_fetch_and_add(&taken, 1);
	else if (err == -RQSPIN_EDEADLK)
		__sync_fetch_and_add(&failed, 1);
	else
		__sync_fetch_and_add(&other_errors, 1);
	return 0;
}

SEC("tc")
int api_ab(struct __sk_buff *skb __attribute__((unused)))
{
	return count_opposed(take_opposed(0, 1));
}

SEC("tc")
int api_ba(struct __sk_buff *skb __attribute__((unused)))
{
	return count_opposed(take_opposed(1, 0));
}
