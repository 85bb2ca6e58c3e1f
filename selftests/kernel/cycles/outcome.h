/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * How the attempts of bpf_test_rqspinlock.c end, by result and time: its own histogram does not
 * tell a wait of 300 ms that ends well from one that ends by the time limit.
 */
#include <linux/atomic.h>
#include <linux/timekeeping.h>
#include <asm/rqspinlock.h>

enum outcome {
	OUTCOME_TAKEN,
	OUTCOME_REFUSED,
	OUTCOME_LATE,
	OUTCOME_NR,
};

static const u32 outcome_ms[] = { 1, 2, 4, 8, 16, 32, 64, 128, 200, 250, 500, 1000 };

static atomic_t outcomes[OUTCOME_NR][ARRAY_SIZE(outcome_ms) + 1];

static void outcome_count(u64 begun, int err)
{
	u64 ns = ktime_get_mono_fast_ns() - begun;
	enum outcome o = err == -EDEADLK ? OUTCOME_REFUSED : err ? OUTCOME_LATE : OUTCOME_TAKEN;
	int i = 0;

	while (i < ARRAY_SIZE(outcome_ms) && ns > outcome_ms[i] * (u64)NSEC_PER_MSEC)
		i++;
	atomic_inc(&outcomes[o][i]);
}

static void outcome_print(void)
{
	static const char *const names[] = { "taken", "EDEADLK", "ETIMEDOUT" };

	for (int o = 0; o < OUTCOME_NR; o++) {
		for (int i = 0; i <= ARRAY_SIZE(outcome_ms); i++) {
			if (atomic_read(&outcomes[o][i]))
				pr_info("OUTCOME %s above_ms %u: %d\n", names[o],
					i ? outcome_ms[i - 1] : 0, atomic_read(&outcomes[o][i]));
		}
	}
}

static int outcome_lock(rqspinlock_t *lock)
{
	u64 begun = ktime_get_mono_fast_ns();
	int err = res_spin_lock(lock);

	outcome_count(begun, err);
	return err;
}

#define res_spin_lock(lock) outcome_lock(lock)
