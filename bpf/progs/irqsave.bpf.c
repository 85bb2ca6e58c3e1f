// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * A lock that is also taken by programs in interrupt context: held with interrupts off, so that
 * such a program cannot come in between on this CPU. The flags live on the stack.
 *   bpftool prog loadall irqsave.bpf.o /sys/fs/bpf/irqsave
 *   bpftool prog run pinned /sys/fs/bpf/irqsave/irqsave data_in /etc/os-release repeat 1000
 * Expect: 0.
 */
#include "sample.bpf.h"

struct bpf_res_spin_lock lock __hidden SEC(".data.lock");
__u64 turns;

SEC("tc")
int irqsave(struct __sk_buff *ctx)
{
	struct sample_scope s;
	unsigned long flags;
	int err;

	sample_begin(&s);
	err = res_spin_lock_irqsave(&lock, &flags);
	if (err) {
		sample_fail(&s, &lock, err);
		return sample_end(&s);
	}
	turns++;
	res_spin_unlock_irqrestore(&lock, &flags);
	return sample_end(&s);
}
