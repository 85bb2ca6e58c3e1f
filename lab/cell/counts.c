// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Lock events: the kernel's for our locks, the lab's for those of virtual machines. */
#include "../locks/pv_counts.h"
#include "cell.h"

#include "kernel/locking/lock_events.h"

DEFINE_PER_CPU(unsigned long, lockevents[lockevent_num]);

static json_int_t event(enum lock_events which)
{
	json_int_t sum = 0;
	int cpu;

	for_each_possible_cpu(cpu) sum += per_cpu(lockevents[which], cpu);
	return sum;
}

static json_t *ours(void)
{
	return json_pack("{s:I, s:I, s:I, s:I, s:I}", "queued", event(LOCKEVENT_rqspinlock_queued),
			 "unfair", event(LOCKEVENT_rqspinlock_unfair), "halts",
			 event(LOCKEVENT_rqspinlock_halt), "early",
			 event(LOCKEVENT_rqspinlock_early), "kicks",
			 event(LOCKEVENT_rqspinlock_kick));
}

static json_int_t pv(enum pv_count which)
{
	return pv_count_sum(which);
}

static json_t *paravirtual(void)
{
	return json_pack("{s:I, s:I, s:I, s:I, s:I}", "queued", pv(PV_COUNT_lock_slowpath),
			 "unfair", pv(PV_COUNT_pv_lock_stealing), "halts",
			 pv(PV_COUNT_pv_wait_head) + pv(PV_COUNT_pv_wait_node), "early",
			 pv(PV_COUNT_pv_wait_early), "kicks", pv(PV_COUNT_pv_kick_unlock));
}

json_t *cell_counts(const struct lab_ops *lock)
{
	if (lock->flags & LAB_OURS)
		return ours();
	return lock->flags & LAB_VCPU ? paravirtual() : json_null();
}
