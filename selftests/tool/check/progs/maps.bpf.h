/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#ifndef MAPS_BPF_H
#define MAPS_BPF_H

#include "check.bpf.h"

#define MAP_OF(kind, name)                         \
	struct {                                   \
		__uint(type, BPF_MAP_TYPE_##kind); \
		__uint(max_entries, 64);           \
		__type(key, __u32);                \
		__type(value, struct elem);        \
	} name SEC(".maps")

MAP_OF(HASH, flows);
MAP_OF(ARRAY, users);

static __always_inline __attribute__((unused)) int take_both(struct bpf_res_spin_lock *first,
							     struct bpf_res_spin_lock *second)
{
	int err = bpf_res_spin_lock(first);

	if (err)
		return err;
	err = take_inlined(second);
	bpf_res_spin_unlock(first);
	return err;
}

#endif
