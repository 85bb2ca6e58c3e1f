// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* finds: cycle. Each function calls the next one three times: 3^6 ways lead to the locks. */
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

static __noinline int link_7(struct __sk_buff *ctx)
{
	return take_both_locks(&lock_a, &lock_b);
}

#define LINK(number, next)                                               \
	static __noinline int link_##number(struct __sk_buff *ctx)       \
	{                                                                \
		int sum = ctx->mark & 1 << (number) ? next(ctx) : 1;     \
                                                                         \
		sum += next(ctx);                                        \
		return sum + (ctx->len > (number) * 10 ? next(ctx) : 0); \
	}

LINK(6, link_7)
LINK(5, link_6)
LINK(4, link_5)
LINK(3, link_4)
LINK(2, link_3)
LINK(1, link_2)

SEC("tc")
int chain_there(struct __sk_buff *ctx)
{
	return link_1(ctx);
}

SEC("tc")
int chain_back(struct __sk_buff *ctx)
{
	return take_both_locks(&lock_b, &lock_a);
}
