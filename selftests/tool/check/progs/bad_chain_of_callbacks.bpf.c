// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* finds: cycle. Each function is called back by the one before, from three places. */
#include "check.bpf.h"

struct bpf_res_spin_lock lock_a __hidden SEC(".data.a");
struct bpf_res_spin_lock lock_b __hidden SEC(".data.b");

static __always_inline int take_both_locks(struct bpf_res_spin_lock *x, struct bpf_res_spin_lock *y)
{
	int err = bpf_res_spin_lock(x);

	if (err) {
		bpf_get_prandom_u32(); /* no try again at once */
		return err;
	}
	err = bpf_res_spin_lock(y);
	if (!err)
		bpf_res_spin_unlock(y);
	bpf_res_spin_unlock(x);
	return err;
}

static long link_4(__u32 i, __u32 *times)
{
	if (take_both_locks(&lock_a, &lock_b))
		failures++;
	return 0;
}

#define LINK(number, next)                                    \
	static long link_##number(__u32 i, __u32 *times)      \
	{                                                     \
		if (i & 1)                                    \
			bpf_loop(2, next, times, 0);          \
		bpf_loop(*times &number, next, times, 0);     \
		return !bpf_loop(*times + 1, next, times, 0); \
	}

LINK(3, link_4)
LINK(2, link_3)
LINK(1, link_2)

SEC("tc")
int chain_there(struct __sk_buff *ctx)
{
	__u32 times = ctx->len & 3;

	bpf_loop(2, link_1, &times, 0);
	return 0;
}

SEC("tc")
int chain_back(struct __sk_buff *ctx)
{
	return take_both_locks(&lock_b, &lock_a);
}
