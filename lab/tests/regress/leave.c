// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Waiters that time out behind one whose CPU does not run. */
#include <pthread.h>
#include <signal.h>
#include <stdio.h>

#include <kernel/bpf/rqspinlock.h>
#include <kernel/locking/qspinlock.h>

#include "../../threads/lib/team.h"
#include "regress.h"

#define SLACK_NS (100 * NSEC_PER_MSEC)
#define LAST	 5

/*
 * CPU 0 owns the lock, CPU 1 has the pending bit, CPU 2 is head and then stands still. CPU 3 leaves
 * from between CPUs 2 and 4, then CPU 4 leaves as the last. CPU 5 queues after that. In the queue
 * for virtual machines, CPU 1 is head and CPU 2 is behind it. There, time in which a waiter could
 * not run does not count; three of these threads share a CPU.
 */
struct line {
	const struct lab_ops *ops;
	union lab_lock lock;
	struct lab_barrier barrier;
	pthread_t head;
	u32 stands, go, gone;
	u32 turns;
	u32 turn[LAST + 1];
	int err[LAST + 1];
	u64 took[LAST + 1];
	bool ok;
};

static struct line line;

static struct res_node *node_of(int cpu)
{
	return &per_cpu_ptr(&res_cpu, cpu)->node[0];
}

static u32 state_of(int cpu)
{
	return atomic_read(&node_of(cpu)->state) & RES_STATE_MASK;
}

static bool last_is(int cpu)
{
	return (READ_ONCE(line.lock.word) & _Q_TAIL_MASK) == encode_tail(cpu, 0);
}

static void wait_last(int cpu)
{
	while (!last_is(cpu))
		lab_poll();
}

static void on_stop(int sig)
{
	(void)sig;
	lab_add_u32(&line.stands);
	lab_wait_u32(&line.go, 1);
}

static void line_want(int cpu)
{
	u64 start = shim_clock();

	line.err[cpu] = line.ops->lock(&line.lock, NULL);
	line.took[cpu] = shim_clock() - start;
	if (!line.err[cpu]) {
		line.turn[cpu] = ++line.turns;
		line.ops->unlock(&line.lock, NULL);
	} else if (cpu > 2) {
		lab_add_u32(&line.gone);
	}
}

/* Waiters leave without the head's help, and no node is left behind. */
static void owner_play(void)
{
	wait_last(2);
	pthread_kill(line.head, SIGUSR1);
	lab_wait_u32(&line.stands, 1);
	while (smp_load_acquire(&line.gone) < 2)
		lab_poll();
	line.ok = EXPECT(last_is(2)) && EXPECT(state_of(2) == RES_LONE) &&
		  EXPECT(state_of(3) == RES_FREE) && EXPECT(state_of(4) == RES_FREE);
	lab_add_u32(&line.gone);
	wait_last(LAST);
	line.ops->unlock(&line.lock, NULL);
	lab_add_u32(&line.go);
}

static void line_play(int cpu, void *arg)
{
	(void)arg;
	if (!cpu)
		EXPECT(!line.ops->lock(&line.lock, NULL));
	if (cpu == 2)
		line.head = pthread_self();
	lab_meet(&line.barrier);
	switch (cpu) {
	case 0:
		owner_play();
		return;
	case 1:
		break;
	case 2:
		while (!(READ_ONCE(line.lock.word) & _Q_PENDING_VAL))
			lab_poll();
		break;
	case LAST:
		lab_wait_u32(&line.gone, 3);
		break;
	default:
		lab_wait_u32(&line.stands, 1);
		wait_last(cpu - 1);
	}
	line_want(cpu);
}

static bool in_time(int cpu, u64 limit)
{
	u64 most = (line.ops->flags & LAB_HYBRID ? 3 : 1) * limit + SLACK_NS;

	return EXPECT(line.err[cpu] == -ETIMEDOUT) && EXPECT(line.took[cpu] >= limit) &&
	       EXPECT(line.took[cpu] < most);
}

bool no_node_left(void)
{
	int cpu, i, used = 0;

	for_each_possible_cpu(cpu)
	{
		for (i = 0; i < RES_NR_NODES; i++)
			used += (atomic_read(&per_cpu_ptr(&res_cpu, cpu)->node[i].state) &
				 RES_STATE_MASK) != RES_FREE;
	}
	return !used;
}

/*
 * Each waiter has its own limit, even if another one does not run; waiters that stay keep their
 * order.
 */
bool leave_behind_one_who_stands_still(const struct lab_ops *ops)
{
	struct sigaction sa = { .sa_handler = on_stop }, old;
	int halves = ops->flags & LAB_HYBRID ? 2 : 1; /* of the limit in a queue */

	memset(&line, 0, sizeof(line));
	line.ops = ops;
	line.barrier.n = LAST + 1;
	sigaction(SIGUSR1, &sa, &old);
	lab_team(LAST + 1, line_play, NULL);
	sigaction(SIGUSR1, &old, NULL);
	return line.ok && EXPECT(no_node_left()) && in_time(1, halves * RES_DEF_TIMEOUT) &&
	       in_time(3, 2 * RES_DEF_TIMEOUT) && in_time(4, 2 * RES_DEF_TIMEOUT) &&
	       EXPECT(!line.err[2]) && EXPECT(!line.err[LAST]) && EXPECT(line.turn[2] == 1) &&
	       EXPECT(line.turn[LAST] == 2) && EXPECT(res_is_free(line.lock.word));
}
