// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * TIMEOUT: an owner that does not release in time. It holds the lock until the waiter has failed.
 *   bpftool prog loadall timeout.bpf.o /sys/fs/bpf/timeout
 *   cd /sys/fs/bpf/timeout; in="data_in /etc/os-release repeat 3"
 *   taskset -c 0 bpftool prog run pinned timeout_owner $in &
 *   taskset -c 1 bpftool prog run pinned timeout_waiter $in; wait
 * Expect: owner 0; waiter -110 (-ETIMEDOUT) after 250 ms, after 1 s in test-and-set mode (guests).
 * bpftool shows the last repetition only, where the later of the two is alone: 1. A waiter that
 * began its last one earlier shows -110.
 */
#include "sample.bpf.h"

#define TURNS 4096 /* times 2^20 spins: more than a second on any CPU */

struct bpf_res_spin_lock slow __hidden SEC(".data.slow");
sample_meeting ready;
__u64 given_up;

/* Plain bounded loops: can_loop would end after 250 ms, too early for the waiter to fail. */
static __noinline void hold_until_changed(volatile __u64 *word, __u64 from)
{
	int i, j;

	bpf_for(i, 0, TURNS) {
		bpf_for(j, 0, 1 << 20) {
			if (*word != from)
				return;
		}
	}
}

SEC("tc")
int timeout_owner(struct __sk_buff *ctx)
{
	__u64 before = given_up;
	struct sample_scope s;
	int err;

	sample_begin(&s);
	err = res_spin_lock(&slow);
	if (err) {
		sample_fail(&s, &slow, err);
		return sample_end(&s);
	}
	if (!sample_meet(&ready, 2)) {
		res_spin_unlock(&slow);
		return SAMPLE_ALONE;
	}
	hold_until_changed(&given_up, before);
	res_spin_unlock(&slow);
	return sample_end(&s);
}

SEC("tc")
int timeout_waiter(struct __sk_buff *ctx)
{
	struct sample_scope s;
	int err;

	if (!sample_meet(&ready, 2))
		return SAMPLE_ALONE;
	sample_begin(&s);
	err = res_spin_lock(&slow);
	if (err)
		sample_fail(&s, &slow, err);
	else
		res_spin_unlock(&slow);
	__sync_fetch_and_add(&given_up, 1);
	return sample_end(&s);
}
