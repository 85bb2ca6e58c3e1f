/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * This CPU's rqspinlock_held_locks. A per-CPU __ksym needs CONFIG_KALLSYMS_ALL,
 * so the table is found from the run queue of the current task: user space sets
 * held_delta to the distance of the two variables in the kernel's BTF.
 */
#ifndef RQSPIN_TEST_HELD_TABLE_H
#define RQSPIN_TEST_HELD_TABLE_H

#include <bpf/bpf_core_read.h>
#include "fair_rq.bpf.h"

extern void *bpf_rdonly_cast(const void *obj, __u32 btf_id) __weak __ksym;

/* Return value of a program that cannot find the table: -ENODEV. */
#define HELD_TABLE_HIDDEN (-19)

const volatile __s64 held_delta;

/*
 * Call it before the first lock; reading through the result is then always allowed. NULL: a task
 * has no pointer to its run queue (no CONFIG_FAIR_GROUP_SCHED).
 */
static __always_inline struct rqspinlock_held *own_held_table(void)
{
	__u64 rq = fair_rq(bpf_get_current_task_btf());

	if (!rq)
		return NULL;
	return bpf_rdonly_cast((void *)(rq + held_delta),
			       bpf_core_type_id_kernel(struct rqspinlock_held));
}

#endif
