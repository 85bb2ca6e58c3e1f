// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* An example of docs/check.md: the locks of reader in the other order. */
#include "shared.bpf.h"

SEC("tc")
int writer(struct __sk_buff *skb)
{
	__u32 key = 0;
	struct entry *from = bpf_map_lookup_elem(&journal, &key);
	struct entry *to = bpf_map_lookup_elem(&table, &key);
	int err;

	if (!from || !to)
		return 0;
	err = res_spin_lock(&from->lock);
	if (err)
		return err;
	err = res_spin_lock(&to->lock);
	if (!err) {
		to->value += from->value;
		res_spin_unlock(&to->lock);
	}
	res_spin_unlock(&from->lock);
	return err;
}
