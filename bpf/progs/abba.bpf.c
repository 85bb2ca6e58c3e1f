// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * ABBA: two CPUs take the same two locks in opposite order. They meet with their first lock held,
 * so every round deadlocks and at least one of them must fail.
 *   bpftool prog loadall abba.bpf.o /sys/fs/bpf/abba
 *   for i in 0 1; do taskset -c $i bpftool prog run pinned /sys/fs/bpf/abba/abba_$i \
 *       data_in /etc/os-release repeat 100 & done; wait
 * Expect: return value 0 or -35 (-EDEADLK); in each round -35 on one side or both.
 */
#include "sample.bpf.h"

struct bpf_res_spin_lock lock_a __hidden SEC(".data.lock_a");
struct bpf_res_spin_lock lock_b __hidden SEC(".data.lock_b");
sample_meeting ready, holding;

/* A macro, because the events carry the name of the function they are reported from. */
#define TAKE_BOTH(first, second)                      \
	do {                                          \
		struct sample_scope s;                \
		int err;                              \
                                                      \
		if (!sample_meet(&ready, 2))          \
			return SAMPLE_ALONE;          \
		sample_begin(&s);                     \
		err = res_spin_lock(first);           \
		if (err) {                            \
			sample_fail(&s, first, err);  \
			return sample_end(&s);        \
		}                                     \
		if (!sample_meet(&holding, 2)) {      \
			res_spin_unlock(first);       \
			return SAMPLE_ALONE;          \
		}                                     \
		err = res_spin_lock(second);          \
		if (err)                              \
			sample_fail(&s, second, err); \
		else                                  \
			res_spin_unlock(second);      \
		res_spin_unlock(first);               \
		return sample_end(&s);                \
	} while (0)

SEC("tc")
int abba_0(struct __sk_buff *ctx __unused)
{
	TAKE_BOTH(&lock_a, &lock_b);
}

SEC("tc")
int abba_1(struct __sk_buff *ctx __unused)
{
	TAKE_BOTH(&lock_b, &lock_a);
}
