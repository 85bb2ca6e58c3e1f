// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Every failure of a resilient lock, as the lock itself tells it: for kernels whose lock has the
 * tracepoint rqspinlock_failure. No table of held locks is read: the lock keeps none, and the chain
 * says more.
 */
#include <vmlinux.h>

#include "rqspin/event.h"
#include "witness.bpf.h"

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

/* By copy: the verifier knows no element of a kernel array but a constant one. */
static __always_inline void copy_chain(struct witness_told *told,
				       const struct res_chain___own *chain)
{
	const void *hops = (void *)chain + bpf_core_field_offset(struct res_chain___own, hop);
	__u64 size = bpf_core_type_size(struct res_hop___own);
	__u32 i, nr = BPF_CORE_READ(chain, n);

	told->nr_hops = nr;
	bpf_for(i, 0, WITNESS_HOPS) {
		const struct res_hop___own *hop = hops + i * size;

		if (i >= nr)
			break;
		told->hops[i].lock = (__u64)BPF_CORE_READ(hop, lock);
		told->hops[i].cpu = BPF_CORE_READ(hop, cpu);
	}
}

SEC("tp_btf/rqspinlock_failure")
int BPF_PROG(failed, void *lock, __u32 kind, int ret, __u64 wait_ns, int owner, bool drained,
	     const struct res_chain___own *chain)
{
	struct witness *w;
	__u64 seq;

	w = witness_reserve(&seq);
	if (!w)
		return 0;
	w->kind = WITNESS_FAILURE;
	w->lock = (__u64)lock;
	w->err = ret;
	w->wait_ns = wait_ns;
	w->told.kind = kind_of(kind);
	w->told.owner = owner;
	w->told.drained = drained;
	copy_chain(&w->told, chain);
	w->told.stack_len = bpf_get_stack(ctx, w->told.stack, sizeof(w->told.stack), 0);
	witness_publish(w, seq);
	return 0;
}
