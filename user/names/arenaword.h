/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* What the word of a lock in an arena says. The kernel knows nothing of such a lock. */
#ifndef RQSPIN_NAMES_ARENAWORD_H
#define RQSPIN_NAMES_ARENAWORD_H

#include <linux/types.h>
#include <stdbool.h>

/**
 * enum arena_layout - what the bits of a lock word mean
 * @ARENA_PLAIN: 0 is free, everything else is locked
 * @ARENA_QUEUED: as the kernel's qspinlock, on a machine with at most 16383 CPUs: a byte for the
 * owner, a byte for the waiter that is next, and the end of the queue. arena_spinlock_t is one
 */
enum arena_layout { ARENA_PLAIN, ARENA_QUEUED };

enum arena_word_state {
	ARENA_FREE,
	ARENA_LOCKED,
	ARENA_HANDED, /* nobody owns it, but there are waiters: the next one is about to have it */
};

/**
 * struct arena_said - a word, decoded
 * @state: is it free?
 * @pending: a waiter spins on the word itself
 * @tail_cpu: CPU of the last waiter in the queue; -1: nobody is in the queue
 * @tail_level: what waits there: 0 a task, 1 to 3 interrupts on top of it
 */
struct arena_said {
	enum arena_word_state state;
	bool pending;
	int tail_cpu;
	unsigned int tail_level;
};

struct arena_said arenaword_decode(enum arena_layout layout, __u32 word);

#endif
