/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Two objects that pin their maps by name share them. */
#ifndef PINNED_BPF_H
#define PINNED_BPF_H

#include "check.bpf.h"

#define PINNED_MAP(name)                             \
	struct {                                     \
		__uint(type, BPF_MAP_TYPE_ARRAY);    \
		__uint(max_entries, 1);              \
		__uint(pinning, LIBBPF_PIN_BY_NAME); \
		__type(key, __u32);                  \
		__type(value, struct elem);          \
	} name SEC(".maps")

PINNED_MAP(check_left);
PINNED_MAP(check_right);

static __always_inline int take_in_order(void *first, void *second)
{
	struct elem *a = elem_of(first, 0), *b = elem_of(second, 0);
	int err;

	if (!a || !b)
		return 0;
	err = bpf_res_spin_lock(&a->lock);
	if (err)
		return err;
	err = take_inlined(&b->lock);
	bpf_res_spin_unlock(&a->lock);
	return err;
}

#endif
