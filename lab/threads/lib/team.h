/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Threads that stand for CPUs. */
#ifndef LAB_TEAM_H
#define LAB_TEAM_H

#include "shim.h"

/*
 * Runs fn(i, arg) in @n threads and waits for them. Thread i is CPU i for the locks, and pinned
 * to the CPUs of this machine in turn.
 */
void lab_team(int n, void (*fn)(int cpu, void *arg), void *arg);
/* Real-time priority for teams, so that other load does not disturb them: for seconds only. */
extern bool lab_real_time;
/* CPUs that this process may use. */
int lab_cpus(void);

/*
 * A barrier of @n threads. Waiters spin first if every thread has a CPU of its own, else they
 * sleep.
 */
struct lab_barrier {
	u32 n, arrived, round, asleep;
};

void lab_meet(struct lab_barrier *b);

/* Sleeps until *word, which lab_add_u32() counts up, is @val. */
void lab_wait_u32(u32 *word, u32 val);
void lab_add_u32(u32 *word);
/* A short sleep between two polls of a value whose change wakes nobody. */
void lab_poll(void);

#endif /* LAB_TEAM_H */
