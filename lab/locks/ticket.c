// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include "locks.h"
#include "backoff.h"
#include "ticket.h"

/* Waiters between the owner and @mine, or -1 if it is the turn of @mine. */
static int waiters_ahead(union ticket_lock *lock, u16 mine)
{
	return (u16)(mine - smp_load_acquire(&lock->turn)) - 1;
}

void ticket_wait(union ticket_lock *lock, u16 mine)
{
	smp_cond_load_acquire(&lock->turn, VAL == mine);
}

/* The owner counts, too. */
void ticket_wait_fixed(union ticket_lock *lock, u16 mine, u32 pauses)
{
	int n;

	while ((n = waiters_ahead(lock, mine)) >= 0)
		backoff_wait((u64)(n + 1) * pauses * BACKOFF_ONE);
}

/* Who is next looks all the time and learns nothing, so two CPUs never back off. */
void ticket_wait_auto(union ticket_lock *lock, u16 mine)
{
	struct backoff *b = backoff_of(lock);
	u32 delay = backoff_start(b, lock);
	int n = waiters_ahead(lock, mine);

	while (n > 0) {
		delay = backoff_longer(delay);
		backoff_wait((u64)delay * n);
		n = waiters_ahead(lock, mine);
		if (n < 0)
			delay = backoff_shorter(delay);
	}
	if (!n)
		ticket_wait(lock, mine);
	b->lock = lock;
	b->delay = delay;
}

static __always_inline union ticket_lock *ticket_of(union lab_lock *l)
{
	return (union ticket_lock *)&l->word;
}

#define LAB_ID		 own_ticket
#define LAB_NAME	 "ticket"
#define LAB_ABOUT	 "ticket lock"
#define LAB_FLAGS	 LAB_FIFO
#define LAB_INIT(l)	 ((void)(l))
#define LAB_LOCK(l, c)	 ticket_lock(ticket_of(l), ticket_wait)
#define LAB_UNLOCK(l, c) ticket_unlock(ticket_of(l))
#include "loops.h"

#define LAB_ID		 ticket_10
#define LAB_NAME	 "ticket-10x"
#define LAB_ABOUT	 "... with a delay of 10 pauses for each CPU ahead"
#define LAB_FLAGS	 LAB_FIFO
#define LAB_INIT(l)	 ((void)(l))
#define LAB_LOCK(l, c)	 ticket_lock(ticket_of(l), ticket_wait_fixed, 10)
#define LAB_UNLOCK(l, c) ticket_unlock(ticket_of(l))
#include "loops.h"

#define LAB_ID		 ticket_50
#define LAB_NAME	 "ticket-50x"
#define LAB_ABOUT	 "... of 50 pauses"
#define LAB_FLAGS	 LAB_FIFO
#define LAB_INIT(l)	 ((void)(l))
#define LAB_LOCK(l, c)	 ticket_lock(ticket_of(l), ticket_wait_fixed, 50)
#define LAB_UNLOCK(l, c) ticket_unlock(ticket_of(l))
#include "loops.h"

#define LAB_ID		 ticket_250
#define LAB_NAME	 "ticket-250x"
#define LAB_ABOUT	 "... of 250 pauses"
#define LAB_FLAGS	 LAB_FIFO
#define LAB_INIT(l)	 ((void)(l))
#define LAB_LOCK(l, c)	 ticket_lock(ticket_of(l), ticket_wait_fixed, 250)
#define LAB_UNLOCK(l, c) ticket_unlock(ticket_of(l))
#include "loops.h"

#define LAB_ID		 ticket_auto
#define LAB_NAME	 "ticket-auto"
#define LAB_ABOUT	 "... that each CPU learns for each lock"
#define LAB_FLAGS	 LAB_FIFO
#define LAB_INIT(l)	 ((void)(l))
#define LAB_LOCK(l, c)	 ticket_lock(ticket_of(l), ticket_wait_auto)
#define LAB_UNLOCK(l, c) ticket_unlock(ticket_of(l))
#include "loops.h"
