// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * No global lock order: one program takes A then B, another B then A. Neither the verifier nor the
 * kernel objects; only when both run at once and meet can one of them fail, and it backs out.
 *   bpftool prog loadall out_of_order.bpf.o /sys/fs/bpf/ooo
 *   for p in ab ba; do bpftool prog run pinned /sys/fs/bpf/ooo/take_$p \
 *       data_in /etc/os-release repeat 1000; done
 * Expect: 0, as they run one after the other. On two CPUs at once: 0 or -35 (-EDEADLK).
 */
#include "sample.bpf.h"

struct bpf_res_spin_lock lock_a __hidden SEC(".data.lock_a");
struct bpf_res_spin_lock lock_b __hidden SEC(".data.lock_b");

SEC("tc")
int take_ab(struct __sk_buff *ctx)
{
	struct sample_scope s;
	int err;

	sample_begin(&s);
	err = res_spin_lock(&lock_a);
	if (err) {
		sample_fail(&s, &lock_a, err);
		return sample_end(&s);
	}
	err = res_spin_lock(&lock_b);
	if (err)
		sample_fail(&s, &lock_b, err);
	else
		res_spin_unlock(&lock_b);
	res_spin_unlock(&lock_a);
	return sample_end(&s);
}

SEC("tc")
int take_ba(struct __sk_buff *ctx)
{
	struct sample_scope s;
	int err;

	sample_begin(&s);
	err = res_spin_lock(&lock_b);
	if (err) {
		sample_fail(&s, &lock_b, err);
		return sample_end(&s);
	}
	err = res_spin_lock(&lock_a);
	if (err)
		sample_fail(&s, &lock_a, err);
	else
		res_spin_unlock(&lock_a);
	res_spin_unlock(&lock_b);
	return sample_end(&s);
}
