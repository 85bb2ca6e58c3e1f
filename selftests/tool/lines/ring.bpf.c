// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Three programs that wait for each other: each member of the cycle has a line of its own. */
#include "lines.bpf.h"

lock_t lock_c __hidden SEC(".data.lock_c");

static __always_inline bool ring_hold(lock_t *own)
{
	if (!meet_of(&ready, 3) || bpf_res_spin_lock(own))
		return false;
	if (meet_of(&holding, 3))
		return true;
	bpf_res_spin_unlock(own);
	return false;
}

SEC("tc")
int ring_ab(struct __sk_buff *ctx)
{
	int err;

	if (!ring_hold(&lock_a))
		return 1;
	err = bpf_res_spin_lock(&lock_b); /* at: ring_ab */
	if (!err)
		bpf_res_spin_unlock(&lock_b);
	bpf_res_spin_unlock(&lock_a);
	return err;
}

SEC("tc")
int ring_bc(struct __sk_buff *ctx)
{
	int err;

	if (!ring_hold(&lock_b))
		return 1;
	err = bpf_res_spin_lock(&lock_c); /* at: ring_bc */
	if (!err)
		bpf_res_spin_unlock(&lock_c);
	bpf_res_spin_unlock(&lock_b);
	return err;
}

SEC("tc")
int ring_ca(struct __sk_buff *ctx)
{
	int err;

	if (!ring_hold(&lock_c))
		return 1;
	err = bpf_res_spin_lock(&lock_a); /* at: ring_ca */
	if (!err)
		bpf_res_spin_unlock(&lock_a);
	bpf_res_spin_unlock(&lock_c);
	return err;
}
