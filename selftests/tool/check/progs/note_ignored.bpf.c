// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* notes: ignored. Work that is not done, and nobody knows. */
#include "check.bpf.h"

struct bpf_res_spin_lock table __hidden SEC(".data.table");

SEC("tc")
int silent(struct __sk_buff *ctx)
{
	if (!bpf_res_spin_lock(&table)) {
		work++;
		bpf_res_spin_unlock(&table);
	}
	return 0;
}
