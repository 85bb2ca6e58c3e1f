// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* finds: cycle. Locks in the storage of tasks, perhaps of the same task. */
#include "check.bpf.h"

struct {
	__uint(type, BPF_MAP_TYPE_TASK_STORAGE);
	__uint(map_flags, BPF_F_NO_PREALLOC);
	__type(key, int);
	__type(value, struct elem);
} tasks SEC(".maps");

struct bpf_res_spin_lock table __hidden SEC(".data.table");

#define of_task() bpf_task_storage_get(&tasks, bpf_get_current_task_btf(), NULL, 1)

static __always_inline int take_both(struct bpf_res_spin_lock *first,
				     struct bpf_res_spin_lock *second)
{
	int err = bpf_res_spin_lock(first);

	if (err)
		return err;
	err = take_inlined(second);
	bpf_res_spin_unlock(first);
	return err;
}

SEC("tc")
int storage_there(struct __sk_buff *ctx)
{
	struct elem *elem = of_task();

	return elem ? take_both(&elem->lock, &table) : 0;
}

SEC("tc")
int storage_back(struct __sk_buff *ctx)
{
	struct elem *elem = of_task();

	return elem ? take_both(&table, &elem->lock) : 0;
}
