/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * <asm/qspinlock_paravirt.h>, included between the kernel's lock for virtual machines and its slow
 * path: the place to replace the trylock of the slow path.
 */
#ifdef PV_STEAL_ONCE
#undef queued_spin_trylock
#define queued_spin_trylock(l) pv_steal_once(l)

static inline bool pv_steal_once(struct qspinlock *lock)
{
	u8 old = 0;

	if (atomic_read(&lock->val) & _Q_LOCKED_PENDING_MASK ||
	    !try_cmpxchg_acquire(&lock->locked, &old, _Q_LOCKED_VAL))
		return false;
	lockevent_inc(pv_lock_stealing);
	return true;
}
#endif
