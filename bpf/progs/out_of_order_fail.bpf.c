// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * A release order that the verifier refuses: the lock taken first is released first.
 *   bpftool prog loadall out_of_order_fail.bpf.o /sys/fs/bpf/refused
 * Expect: not loaded; the verifier's log ends with
 *   bpf_res_spin_unlock cannot be out of order
 */
#include "sample.bpf.h"

struct bpf_res_spin_lock lock_a __hidden SEC(".data.lock_a");
struct bpf_res_spin_lock lock_b __hidden SEC(".data.lock_b");

SEC("tc")
int out_of_order_fail(struct __sk_buff *ctx)
{
	if (res_spin_lock(&lock_a))
		return 0;
	if (res_spin_lock(&lock_b)) {
		res_spin_unlock(&lock_a);
		return 0;
	}
	res_spin_unlock(&lock_a);
	res_spin_unlock(&lock_b);
	return 0;
}
