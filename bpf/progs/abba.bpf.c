// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * ABBA: two CPUs take the same two locks in opposite order. They meet with their first lock held,
 * so every round deadlocks and at least one of them must fail.
 *   bpftool prog loadall abba.bpf.o /sys/fs/bpf/abba
 *   for i in 0 1; do taskset -c $i bpftool prog run pinned /sys/fs/bpf/abba/abba_$i \
 *       data_in /etc/os-release repeat 100 & done; wait
 * Expect: 0 or -35 (-EDEADLK), in each round -35 on one side or both; 1 if the other did not come.
 */
#include "cycle.bpf.h"

struct bpf_res_spin_lock lock_a __hidden SEC(".data.lock_a");
struct bpf_res_spin_lock lock_b __hidden SEC(".data.lock_b");

SEC("tc")
int abba_0(struct __sk_buff *ctx)
{
	CYCLE_PARTY(&lock_a, &lock_b, 2);
}

SEC("tc")
int abba_1(struct __sk_buff *ctx)
{
	CYCLE_PARTY(&lock_b, &lock_a, 2);
}
