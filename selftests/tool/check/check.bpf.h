/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Locks and elements of the programs that the command has to judge. */
#ifndef CHECK_BPF_H
#define CHECK_BPF_H

#include <linux/bpf.h>
#include <bpf/bpf_helpers.h>
#define RQSPIN_NEED_TYPES
#include <rqspin/res_spin_lock.bpf.h>

char _license[] SEC("license") = "Dual BSD/GPL";

struct elem {
	struct bpf_res_spin_lock lock;
	int value;
};

__u64 work, failures;

#define elem_of(map, number)                     \
	({                                       \
		__u32 key_ = (number);           \
		bpf_map_lookup_elem(map, &key_); \
	})

static __always_inline __attribute__((unused)) int take_inlined(struct bpf_res_spin_lock *lock)
{
	int err = bpf_res_spin_lock(lock);

	if (err)
		return err;
	work++;
	bpf_res_spin_unlock(lock);
	return 0;
}

static __always_inline __attribute__((unused)) int rounds(struct __sk_buff *ctx)
{
	return ctx->len & 3;
}

#endif
