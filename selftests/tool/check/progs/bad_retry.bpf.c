// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* finds: retry. Tries again and again, while others may need what it holds. */
#include "maps.bpf.h"

SEC("tc")
int stubborn(struct __sk_buff *ctx)
{
	struct elem *a = elem_of(&flows, 1);
	int err = 1;

	if (!a)
		return 0;
	for (int i = 0; i < 5; i++) {
		err = bpf_res_spin_lock(&a->lock);
		if (!err)
			break;
	}
	if (err)
		return err;
	work++;
	bpf_res_spin_unlock(&a->lock);
	return 0;
}
