// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* finds: interrupt. Only the second of two locks is taken with interrupts off. */
#include "nested.bpf.h"

struct bpf_res_spin_lock second __hidden SEC(".data.second");

SEC("syscall")
int task(void *ctx)
{
	unsigned long flags;
	int err = bpf_res_spin_lock(&table);

	if (err)
		return err;
	err = bpf_res_spin_lock_irqsave(&second, &flags);
	if (!err)
		bpf_res_spin_unlock_irqrestore(&second, &flags);
	bpf_res_spin_unlock(&table);
	return err;
}
