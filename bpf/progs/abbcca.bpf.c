// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * AB-BC-CA: a deadlock of three CPUs, each of which wants the lock the next one holds.
 *   bpftool prog loadall abbcca.bpf.o /sys/fs/bpf/abbcca
 *   for i in 0 1 2; do taskset -c $i bpftool prog run pinned /sys/fs/bpf/abbcca/abbcca_$i \
 *       data_in /etc/os-release repeat 5 & done; wait
 * Expect: at least one failure per round. Kernels that only look for AA and ABBA need a timeout of
 * 250 ms or more for it and return -110 (-ETIMEDOUT); one that follows the chain returns -35.
 */
#include "cycle.bpf.h"

struct bpf_res_spin_lock lock_a __hidden SEC(".data.lock_a");
struct bpf_res_spin_lock lock_b __hidden SEC(".data.lock_b");
struct bpf_res_spin_lock lock_c __hidden SEC(".data.lock_c");

SEC("tc")
int abbcca_0(struct __sk_buff *ctx)
{
	CYCLE_PARTY(&lock_a, &lock_b, 3);
}

SEC("tc")
int abbcca_1(struct __sk_buff *ctx)
{
	CYCLE_PARTY(&lock_b, &lock_c, 3);
}

SEC("tc")
int abbcca_2(struct __sk_buff *ctx)
{
	CYCLE_PARTY(&lock_c, &lock_a, 3);
}
