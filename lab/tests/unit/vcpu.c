// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* The locks for virtual machines count their events, and halted waiters are woken. */
#include <errno.h>
#include <sys/resource.h>

#include "unit.h"
#include "../../locks/pv_counts.h"

#define WAITERS 3

struct halt {
	const struct lab_ops *ops;
	struct lab_barrier barrier;
	u32 done;
};

static union lab_lock lock;

static u64 halts_sum(void)
{
	return pv_count_sum(PV_COUNT_pv_wait_head) + pv_count_sum(PV_COUNT_pv_wait_node);
}

/* CPU 0 owns the lock until a waiter has halted, or for two seconds. */
static void halt_member(int cpu, void *arg)
{
	struct halt *h = arg;
	u64 before = halts_sum(), end;

	if (!cpu)
		h->ops->lock(&lock, NULL);
	lab_meet(&h->barrier);
	if (cpu) {
		h->ops->lock(&lock, NULL);
	} else {
		end = shim_clock() + 2 * NSEC_PER_SEC;
		while (halts_sum() == before && shim_clock() < end)
			lab_poll();
	}
	h->ops->unlock(&lock, NULL);
	__atomic_add_fetch(&h->done, 1, __ATOMIC_RELAXED);
}

static void halt_and_wake(const char *name)
{
	struct halt h = { .ops = lab_lock_named(name), .barrier.n = WAITERS + 1 };
	u64 halted = halts_sum(), kicks = pv_count_sum(PV_COUNT_pv_kick_unlock),
	    queued = pv_count_sum(PV_COUNT_lock_slowpath),
	    stolen = pv_count_sum(PV_COUNT_pv_lock_stealing);

	h.ops->init(&lock);
	lab_team(WAITERS + 1, halt_member, &h);
	assert_int_equal(h.done, WAITERS + 1);
	assert_int_equal(lock.word, 0);
	assert_true(halts_sum() > halted);
	assert_true(pv_count_sum(PV_COUNT_pv_kick_unlock) > kicks);
	assert_int_equal(pv_count_sum(PV_COUNT_lock_slowpath) - queued +
				 pv_count_sum(PV_COUNT_pv_lock_stealing) - stolen,
			 WAITERS);
}

static void test_queued(void **state)
{
	halt_and_wake("pv-queued");
}

static void test_hybrid(void **state)
{
	halt_and_wake("pv-hybrid");
}

void unit_vcpu(struct unit_sum *sum)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_queued),
		cmocka_unit_test(test_hybrid),
	};

	unit_run(sum, tests);
}
