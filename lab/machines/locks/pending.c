// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* The pending bit of qspinlock (Waiman Long, Peter Zijlstra). */
#include "locks/qspin.h"

bool q_trylock(struct sim_cpu *c, struct sim_lock *l, uint64_t locked)
{
	return !sim_read(c, &l->word) && !sim_cas(c, &l->word, 0, locked);
}

bool q_set_pending(struct sim_cpu *c, struct sim_lock *l, uint64_t val)
{
	if (val & ~Q_LOCKED)
		return false;
	val = sim_swap(c, &l->word, Q_PENDING, Q_PENDING);
	if (!(val & ~Q_LOCKED))
		return true;
	if (!(val & Q_PENDING))
		sim_store(c, &l->word, Q_PENDING, 0);
	return false;
}

bool q_pending(struct sim_cpu *c, struct sim_lock *l, uint64_t val, uint64_t locked)
{
	if (!q_set_pending(c, l, val))
		return false;
	while (sim_read(c, &l->word) & Q_LOCKED)
		sim_watch(c, &l->word, SIM_NEVER);
	sim_store(c, &l->word, Q_BUSY, locked);
	return true;
}
