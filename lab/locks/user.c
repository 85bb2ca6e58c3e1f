// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Locks of libraries, and none. */
#include "locks.h"

#define LAB_ID		 ck_ticket
#define LAB_NAME	 "ck-ticket"
#define LAB_ABOUT	 "Concurrency Kit's ticket lock"
#define LAB_FLAGS	 LAB_FOREIGN
#define LAB_INIT(l)	 ck_spinlock_ticket_init(&(l)->ticket)
#define LAB_LOCK(l, c)	 (ck_spinlock_ticket_lock(&(l)->ticket), 0)
#define LAB_UNLOCK(l, c) ck_spinlock_ticket_unlock(&(l)->ticket)
#include "loops.h"

#define LAB_ID		 mcs
#define LAB_NAME	 "ck-mcs"
#define LAB_ABOUT	 "Concurrency Kit's MCS lock"
#define LAB_FLAGS	 LAB_FOREIGN
#define LAB_INIT(l)	 ck_spinlock_mcs_init(&(l)->mcs)
#define LAB_LOCK(l, c)	 (ck_spinlock_mcs_lock(&(l)->mcs, &(c)->mcs), 0)
#define LAB_UNLOCK(l, c) ck_spinlock_mcs_unlock(&(l)->mcs, &(c)->mcs)
#include "loops.h"

/* A CLH lock needs a node of its own to start with. */
static void clh_first_node(union lab_lock *l)
{
	ck_spinlock_clh_t *node = (void *)(l->pad + LAB_ALIGN / 2);

	ck_spinlock_clh_init(&l->clh, node);
}

#define LAB_ID		 clh
#define LAB_NAME	 "ck-clh"
#define LAB_ABOUT	 "Concurrency Kit's CLH lock"
#define LAB_FLAGS	 LAB_FOREIGN
#define LAB_INIT(l)	 clh_first_node(l)
#define LAB_LOCK(l, c)	 (ck_spinlock_clh_lock(&(l)->clh, (c)->clh), 0)
#define LAB_UNLOCK(l, c) ck_spinlock_clh_unlock(&(c)->clh)
#include "loops.h"

#define LAB_ID		 posix
#define LAB_NAME	 "pthread_spin"
#define LAB_ABOUT	 "the C library's spin lock"
#define LAB_FLAGS	 LAB_FOREIGN
#define LAB_INIT(l)	 pthread_spin_init(&(l)->posix, PTHREAD_PROCESS_PRIVATE)
#define LAB_LOCK(l, c)	 pthread_spin_lock(&(l)->posix)
#define LAB_UNLOCK(l, c) pthread_spin_unlock(&(l)->posix)
#include "loops.h"

/* What the loop itself costs. */
#define LAB_ID		 empty
#define LAB_NAME	 "empty"
#define LAB_ABOUT	 "no lock: what the loop costs"
#define LAB_FLAGS	 LAB_NO_LOCK
#define LAB_INIT(l)	 ((void)(l))
#define LAB_LOCK(l, c)	 0
#define LAB_UNLOCK(l, c) barrier()
#include "loops.h"
