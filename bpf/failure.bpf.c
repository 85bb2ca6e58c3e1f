// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Every failure of a resilient lock, from the lock's own tracepoint rqspinlock_failure, on kernels
 * that have it. No table of held locks is read: this lock has none, and its chain of waits says
 * more.
 */
#include <vmlinux.h>

#define WITNESS		struct witness_told
#define WITNESS_DETAILS struct witness_chain
#include "witness.h"
#include "witness.bpf.h"
#include "witness_names.bpf.h"

/* The kernel's own code, modules and programs apart; a size of 0 if that is not known. */
const volatile __u64 text_start;
const volatile __u64 text_size;

/* Our own view of types that other kernels lack. */
enum res_kind___own {
	RES_KIND_AA___own = 1,
	RES_KIND_ABBA___own,
	RES_KIND_CYCLE___own,
	RES_KIND_TIMEOUT___own,
	RES_KIND_NESTED___own,
};

struct res_hop___own {
	void *lock;
	unsigned long ip;
	int pid;
	__u16 cpu;
} __attribute__((preserve_access_index));

struct res_chain___own {
	__u32 n;
	struct res_hop___own hop[WITNESS_HOPS];
} __attribute__((preserve_access_index));

#define KIND(name, ours)                                                               \
	if (kind == bpf_core_enum_value(enum res_kind___own, RES_KIND_##name##___own)) \
		return ours;

static __always_inline __u32 kind_of(__u32 kind)
{
	KIND(AA, RQSPIN_AA)
	KIND(ABBA, RQSPIN_ABBA)
	KIND(CYCLE, RQSPIN_CYCLE)
	KIND(TIMEOUT, RQSPIN_TIMEOUT)
	KIND(NESTED, RQSPIN_NESTED)
	return RQSPIN_UNKNOWN;
}

/* Copied, because the verifier allows only constant indexes into a kernel array. */
static __always_inline void copy_hop(struct witness_hop *to, const struct res_chain___own *chain,
				     __u32 i)
{
	const void *hops = (void *)chain + bpf_core_field_offset(struct res_chain___own, hop);
	const struct res_hop___own *hop = hops + i * bpf_core_type_size(struct res_hop___own);

	to->lock = (__u64)BPF_CORE_READ(hop, lock);
	to->cpu = BPF_CORE_READ(hop, cpu);
	to->ip = 0;
	to->tid = 0;
	if (!bpf_core_field_exists(hop->ip))
		return;
	to->ip = BPF_CORE_READ(hop, ip);
	to->tid = BPF_CORE_READ(hop, pid);
}

/* The first and the last hop of the chain: with two parties that is all of it. */
static __always_inline void copy_ends(struct witness_told *to, const struct res_chain___own *chain)
{
	struct witness_hop last = {};
	struct witness *w = &to->w;

	w->nr_hops = BPF_CORE_READ(chain, n);
	if (!w->nr_hops)
		return;
	copy_hop(&to->first, chain, 0);
	w->locks[0] = to->first.lock;
	copy_hop(&last, chain, (w->nr_hops - 1) % WITNESS_HOPS);
	w->locks[1] = last.lock;
}

static __always_inline void copy_chain(struct witness_chain *to, __u32 nr,
				       const struct res_chain___own *chain)
{
	__u32 i;

	bpf_for(i, 0, WITNESS_HOPS) {
		if (i >= nr)
			break;
		copy_hop(&to->hops[i], chain, i);
	}
}

/* Most failures need no more than the small record has. */
static __always_inline struct witness_chain *add_details(void *ctx, struct witness_place *at,
							 struct witness_told *w,
							 const struct res_chain___own *chain)
{
	struct witness_chain *d;

	if (!shape.want_stacks && w->w.nr_hops < 2)
		return NULL;
	d = witness_details(at, &w->w);
	if (!d)
		return NULL;
	copy_chain(d, w->w.nr_hops, chain);
	d->stack_len = 0;
	if (shape.want_stacks)
		d->stack_len = bpf_get_stack(ctx, d->stack, sizeof(d->stack), 0);
	return d;
}

/* The lock, the kind, and the stack between the program and the lock. */
static __always_inline __u64 group_key(const struct witness_told *w)
{
	return witness_stack_key(w->stack, w->stack_len, text_start, text_size,
				 witness_mix(w->w.lock, w->w.told | w->w.nr_hops << 16));
}

SEC("tp_btf/rqspinlock_failure")
int BPF_PROG(failed, void *lock, __u32 kind, int ret, __u64 wait_ns, int owner,
	     const struct res_chain___own *chain)
{
	struct witness_place at;
	struct witness_chain *d;
	struct witness_told *w;

	w = witness_reserve(&at);
	if (!w)
		return 0;
	w->w.kind = WITNESS_FAILURE;
	w->w.lock = (__u64)lock;
	w->w.err = ret;
	w->w.wait_ns = wait_ns;
	w->w.told = kind_of(kind);
	w->w.owner = owner;
	witness_running(&w->owner, owner);
	copy_ends(w, chain);
	w->stack_len = bpf_get_stack(ctx, w->stack, sizeof(w->stack), 0);
	d = add_details(ctx, &at, w, chain);
	witness_count(&at, w, group_key(w));
	names_by_stack(names_begin(&at), w);
	witness_publish(&at, &w->w, d);
	return 0;
}
