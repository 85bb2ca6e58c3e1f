// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* The unfair lock of guests without paravirtual locks: test, then compare-and-exchange. */
#include "locks/lock.h"

static int unfair_acquire(struct sim_cpu *c, struct sim_lock *l)
{
	bool first = true;

	while (sim_cas(c, &l->word, 0, 1)) {
		first = false;
		while (sim_read(c, &l->word))
			sim_watch(c, &l->word, SIM_NEVER);
	}
	l->unfair += !first;
	return 0;
}

static void unfair_release(struct sim_cpu *c, struct sim_lock *l)
{
	sim_store(c, &l->word, UINT64_MAX, 0);
}

const struct lock_ops unfair_lock = {
	.name = "unfair",
	.source = "Linux, virt_spin_lock()",
	.acquire = unfair_acquire,
	.release = unfair_release,
};
