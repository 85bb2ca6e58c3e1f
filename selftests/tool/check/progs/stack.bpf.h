/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Two programs: one takes slots[KEY] under the other lock, one the other way round. */
#ifndef STACK_BPF_H
#define STACK_BPF_H

#include "maps.bpf.h"

struct bpf_res_spin_lock table __hidden SEC(".data.table");

static __always_inline __attribute__((unused)) int under_table(struct elem *elem)
{
	return elem ? take_both(&table, &elem->lock) : 0;
}

#define OTHER_WAY(number)                                         \
	SEC("tc")                                                 \
	int other_way(struct __sk_buff *ctx)                      \
	{                                                         \
		struct elem *elem = elem_of(&users, number);      \
                                                                  \
		return elem ? take_both(&elem->lock, &table) : 0; \
	}

#endif
