// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Nested irqsave locks: each keeps its own flags variable and they are restored in reverse order,
 * so interrupts stay off until the outermost release.
 *   bpftool prog loadall irqsave_nested.bpf.o /sys/fs/bpf/irqsave_nested
 *   bpftool prog run pinned /sys/fs/bpf/irqsave_nested/irqsave_nested \
 *       data_in /etc/os-release repeat 1000
 * Expect: 0.
 */
#include "sample.bpf.h"

struct bpf_res_spin_lock outer __hidden SEC(".data.outer");
struct bpf_res_spin_lock inner __hidden SEC(".data.inner");
__u64 turns;

SEC("tc")
int irqsave_nested(struct __sk_buff *ctx)
{
	unsigned long outer_flags, inner_flags;
	struct sample_scope s;
	int err;

	sample_begin(&s);
	err = res_spin_lock_irqsave(&outer, &outer_flags);
	if (err) {
		sample_fail(&s, &outer, err);
		return sample_end(&s);
	}
	err = res_spin_lock_irqsave(&inner, &inner_flags);
	if (err) {
		sample_fail(&s, &inner, err);
	} else {
		turns++;
		res_spin_unlock_irqrestore(&inner, &inner_flags);
	}
	res_spin_unlock_irqrestore(&outer, &outer_flags);
	return sample_end(&s);
}
