// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * res_guard.bpf.h: the lock is released on every way out of the block, and a missing branch for
 * failure does not compile.
 *   bpftool prog loadall guard.bpf.o /sys/fs/bpf/guard
 *   bpftool prog run pinned /sys/fs/bpf/guard/guard data_in /etc/os-release repeat 1000
 * Expect: 0.
 */
#include "sample.bpf.h"
#include <rqspin/res_guard.bpf.h>

struct bpf_res_spin_lock outer __hidden SEC(".data.outer");
struct bpf_res_spin_lock inner __hidden SEC(".data.inner");
__u64 turns, odd;

SEC("tc")
int guard(struct __sk_buff *ctx)
{
	struct sample_scope s;

	sample_begin(&s);
	res_guard(&outer) {
		if (++turns % 2 == 0)
			break; /* leaves the block, lock released */
		res_guard_irqsave(&inner) {
			odd++;
		}
		res_guard_failed(err) {
			sample_fail(&s, &inner, err);
		}
	}
	res_guard_failed(err) {
		sample_fail(&s, &outer, err);
	}
	return sample_end(&s);
}
