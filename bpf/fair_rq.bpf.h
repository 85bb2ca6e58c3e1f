/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * From a task to its CPU's run queue, as far as the running kernel has the pointers
 * (CONFIG_FAIR_GROUP_SCHED), whichever kernel's types this is compiled with.
 */
#ifndef RQSPIN_FAIR_RQ_BPF_H
#define RQSPIN_FAIR_RQ_BPF_H

#include <bpf/bpf_core_read.h>

struct cfs_rq___fair {
	void *rq;
} __attribute__((preserve_access_index));

struct sched_entity___fair {
	struct cfs_rq___fair *cfs_rq;
} __attribute__((preserve_access_index));

struct task_struct___fair {
	struct sched_entity___fair se;
} __attribute__((preserve_access_index));

/* Address of a task's run queue, a number; 0: the kernel does not lead there. */
static __always_inline __u64 fair_rq(struct task_struct *task)
{
	struct task_struct___fair *fair = (void *)task;

	if (!bpf_core_field_exists(fair->se.cfs_rq) ||
	    !bpf_core_field_exists(struct cfs_rq___fair, rq))
		return 0;
	return (__u64)BPF_CORE_READ(fair, se.cfs_rq, rq);
}

#endif
