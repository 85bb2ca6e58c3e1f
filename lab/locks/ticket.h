/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Ticket locks: one counter for those who come, one for whose turn it is (Reed and Kanodia 1979;
 * Mellor-Crummey and Scott 1991; Linux on x86 from 2.6.25 to 4.1).
 */
#ifndef LAB_TICKET_H
#define LAB_TICKET_H

#include "shim.h"

union ticket_lock {
	u32 word;
	struct {
		u16 turn;
		u16 next;
	};
};

#define TICKET_ONE (1U << 16)

/**
 * ticket_wait() - look at the lock all the time
 * @lock: the lock
 * @mine: ticket
 */
void ticket_wait(union ticket_lock *lock, u16 mine);

/**
 * ticket_wait_fixed() - look after a delay in proportion to those ahead
 * @lock: the lock
 * @mine: ticket
 * @pauses: for each of those ahead, the owner among them
 */
void ticket_wait_fixed(union ticket_lock *lock, u16 mine, u32 pauses);

/**
 * ticket_wait_auto() - the same with a delay that this CPU has learned for this lock
 * @lock: the lock
 * @mine: ticket
 */
void ticket_wait_auto(union ticket_lock *lock, u16 mine);

/* Takes a ticket and goes on with @wait if it is not the turn of that. */
#define ticket_lock(lock, wait, ...)                                                         \
	({                                                                                   \
		union ticket_lock *t_ = (lock);                                              \
		union ticket_lock old_ = { .word = __atomic_fetch_add(&t_->word, TICKET_ONE, \
								      __ATOMIC_ACQUIRE) };   \
                                                                                             \
		if (unlikely(old_.turn != old_.next))                                        \
			wait(t_, old_.next, ##__VA_ARGS__);                                  \
		0;                                                                           \
	})

static __always_inline void ticket_unlock(union ticket_lock *lock)
{
	smp_store_release(&lock->turn, READ_ONCE(lock->turn) + 1);
}

#endif /* LAB_TICKET_H */
