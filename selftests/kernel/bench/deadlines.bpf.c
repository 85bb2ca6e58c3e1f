// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* An acquisition whose owner holds the lock until it is told to release. */
#include "vmlinux.h"
#include <bpf/bpf_helpers.h>
#include <rqspin/res_spin_lock.bpf.h>
#include "deadlines.h"

#define SPINS 4096 /* times 2^20: more than a second on any CPU */

struct bpf_res_spin_lock lock __hidden SEC(".data.lock");
struct deadlines_wait waits[DEADLINES_CPUS];
__u64 turns;		 /* changed under the lock only */
volatile __u64 released; /* owners up to this turn may release */

static __noinline void lock_hold(__u64 turn)
{
	int i, j;

	bpf_for(i, 0, SPINS) {
		bpf_for(j, 0, 1 << 20) {
			if (released >= turn)
				return;
		}
	}
}

SEC("tc")
int take(struct __sk_buff *ctx)
{
	struct deadlines_wait *w = &waits[bpf_get_smp_processor_id() % DEADLINES_CPUS];
	int err;

	w->begin = bpf_ktime_get_ns();
	err = res_spin_lock(&lock);
	if (err) {
		w->end = bpf_ktime_get_ns();
		w->ret = err;
		return 0;
	}
	w->turn = ++turns;
	lock_hold(w->turn);
	res_spin_unlock(&lock);
	return 0;
}

char _license[] SEC("license") = "Dual BSD/GPL";
