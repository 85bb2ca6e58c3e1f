// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Lock events: the kernel's for our locks, the lab's for those of virtual machines. */
#include "../../locks/pv_counts.h"
#include "cell.h"

#include "kernel/locking/lock_events.h"

DEFINE_PER_CPU(unsigned long, lockevents[lockevent_num]);

static const char *const names[CELL_COUNTS] = { "queued", "unfair", "halts", "early", "kicks" };

static u64 event_sum(enum lock_events which)
{
	u64 sum = 0;
	int cpu;

	for_each_possible_cpu(cpu) sum += per_cpu(lockevents[which], cpu);
	return sum;
}

static void counts_of_ours(u64 counts[CELL_COUNTS])
{
	static const enum lock_events which[CELL_COUNTS] = {
		LOCKEVENT_rqspinlock_queued, LOCKEVENT_rqspinlock_unfair, LOCKEVENT_rqspinlock_halt,
		LOCKEVENT_rqspinlock_early,  LOCKEVENT_rqspinlock_kick,
	};
	int i;

	for (i = 0; i < CELL_COUNTS; i++)
		counts[i] = event_sum(which[i]);
}

static void counts_of_paravirtual(u64 counts[CELL_COUNTS])
{
	counts[0] = pv_count_sum(PV_COUNT_lock_slowpath);
	counts[1] = pv_count_sum(PV_COUNT_pv_lock_stealing);
	counts[2] = pv_count_sum(PV_COUNT_pv_wait_head) + pv_count_sum(PV_COUNT_pv_wait_node);
	counts[3] = pv_count_sum(PV_COUNT_pv_wait_early);
	counts[4] = pv_count_sum(PV_COUNT_pv_kick_unlock);
}

void cell_count(const struct lab_ops *lock, u64 counts[CELL_COUNTS])
{
	if (lock->flags & LAB_OURS)
		counts_of_ours(counts);
	else if (lock->flags & LAB_VCPU)
		counts_of_paravirtual(counts);
}

json_t *cell_counts(const struct lab_ops *lock, const u64 before[CELL_COUNTS],
		    const u64 after[CELL_COUNTS], u64 ops)
{
	json_t *events;
	int i;

	/* An unordered lock counts nothing, and has no queue: all acquisitions are unfair. */
	if (lock->flags & LAB_UNORDERED)
		return json_pack("{s:i, s:I}", names[0], 0, names[1], (json_int_t)ops);
	if (!(lock->flags & (LAB_OURS | LAB_VCPU)))
		return json_null();
	events = json_object();
	for (i = 0; i < CELL_COUNTS; i++)
		json_object_set_new(events, names[i], json_integer(after[i] - before[i]));
	return events;
}
