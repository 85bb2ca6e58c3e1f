// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* finds: nothing. Many calls enter a function that takes the lock in one mode, and leaves it. */
#include "check.bpf.h"

#define ROUNDS 24

struct bpf_res_spin_lock lock_a __hidden SEC(".data.a");

static __noinline int take_if_one(__u32 mode)
{
	return mode == 1 ? bpf_res_spin_lock(&lock_a) : -1;
}

SEC("tc")
int modes(struct __sk_buff *ctx)
{
	__u32 mode = ctx->mark;

	for (int i = 0; i < ROUNDS; i++) {
		if (take_if_one(mode)) {
			bpf_get_prandom_u32(); /* no try again at once */
			continue;
		}
		if (mode == 1)
			bpf_res_spin_unlock(&lock_a);
	}
	return 0;
}
