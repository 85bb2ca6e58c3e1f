// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* A waiter fails: waiters behind it keep their place, and without any the tail is reset. */
#include <stdio.h>

#include <kernel/bpf/rqspinlock.h>
#include <kernel/locking/qspinlock.h>

#include "../../threads/lib/team.h"
#include "regress.h"

/*
 * A: owner CPU 0, PENDING CPU 2, head CPU 1, behind it CPU 3, if @crowd.
 * B: owner CPU 1, PENDING CPU 4, head CPU 5, behind it CPU 0, which closes the cycle.
 * The victim is one of the two members: CPU 0, from behind a head, or the head CPU 1.
 * In the queue for virtual machines, CPUs 2 and 4 are the heads, and CPU 1 stands behind one.
 */
struct queues {
	const struct lab_ops *ops;
	bool crowd;
	union lab_lock a, b;
	struct lab_barrier barrier;
	int err[6];
	u32 word_after; /* of the lock that the victim wanted, after its failure */
};

static struct queues q;

static u32 tail_of(int cpu)
{
	return encode_tail(cpu, 0);
}

static void wait_pending(union lab_lock *l)
{
	while (!(READ_ONCE(l->word) & _Q_PENDING_VAL))
		lab_poll();
}

static void wait_tail(union lab_lock *l, int cpu)
{
	while ((READ_ONCE(l->word) & _Q_TAIL_MASK) != tail_of(cpu))
		lab_poll();
}

static void queue_want(int cpu, union lab_lock *l)
{
	q.err[cpu] = q.ops->lock(l, NULL);
	if (!q.err[cpu])
		q.ops->unlock(l, NULL);
	else
		q.word_after = READ_ONCE(l->word);
}

static void cpu0_play(void)
{
	wait_tail(&q.b, 5);
	wait_tail(&q.a, q.crowd ? 3 : 1);
	queue_want(0, &q.b);
	q.ops->unlock(&q.a, NULL);
}

static void cpu1_play(void)
{
	wait_pending(&q.a);
	queue_want(1, &q.a);
	q.ops->unlock(&q.b, NULL);
}

static void queue_play(int cpu, void *arg)
{
	(void)arg;
	if (cpu < 2)
		EXPECT(!q.ops->lock(cpu ? &q.b : &q.a, NULL));
	lab_meet(&q.barrier);
	switch (cpu) {
	case 0:
		cpu0_play();
		break;
	case 1:
		cpu1_play();
		break;
	case 2:
		queue_want(2, &q.a);
		break;
	case 3:
		if (q.crowd) {
			wait_tail(&q.a, 1);
			queue_want(3, &q.a);
		}
		break;
	case 4:
		queue_want(4, &q.b);
		break;
	case 5:
		wait_pending(&q.b);
		queue_want(5, &q.b);
		break;
	}
}

static int deadlock_victim(void)
{
	return q.err[0] ? 0 : 1;
}

static bool queue_run(const struct lab_ops *ops, bool crowd)
{
	bool ok = true;
	int i;

	memset(&q, 0, sizeof(q));
	q.ops = ops;
	q.crowd = crowd;
	q.barrier.n = 6;
	lab_team(6, queue_play, NULL);
	for (i = 0; i < 6; i++) {
		if (i != deadlock_victim())
			ok = EXPECT(!q.err[i]) && ok;
	}
	return EXPECT(q.err[deadlock_victim()] == -EDEADLK) && EXPECT(res_is_free(q.a.word)) &&
	       EXPECT(res_is_free(q.b.word)) && EXPECT(no_node_left()) && ok;
}

/* Waiters behind one that fails with its own deadlock get the lock. */
bool keep_queue_on_deadlock(const struct lab_ops *ops)
{
	return queue_run(ops, true) &&
	       EXPECT((q.word_after & _Q_TAIL_MASK) != tail_of(deadlock_victim()));
}

/*
 * The last waiter of a queue resets the tail when it leaves, or the next one would wait for ever.
 * If CPU 0 leaves, the waiter in front of it becomes the last.
 */
bool tail_reset_of_kept_queue(const struct lab_ops *ops)
{
	u32 before = ops->flags & LAB_HYBRID ? tail_of(2) : 0;

	return queue_run(ops, false) &&
	       EXPECT((q.word_after & _Q_TAIL_MASK) == (deadlock_victim() ? before : tail_of(5))) &&
	       EXPECT(!ops->lock(&q.a, NULL)) &&
	       (ops->unlock(&q.a, NULL), EXPECT(res_is_free(q.a.word)));
}

struct second {
	const struct lab_ops *ops;
	union lab_lock a;
	struct lab_barrier barrier;
	bool ok;
};

static struct second second;

/* The heads of the hybrid set and clear the pending bit on their own, so it is ignored. */
static u32 word_kept(const struct lab_ops *ops, u32 word)
{
	return ops->flags & LAB_HYBRID ? word & ~_Q_PENDING_VAL : word;
}

static void second_play(int cpu, void *arg)
{
	const struct lab_ops *ops = second.ops;
	u32 seq, word;

	(void)arg;
	if (!cpu)
		EXPECT(!ops->lock(&second.a, NULL));
	lab_meet(&second.barrier);
	if (cpu) {
		if (cpu == 2)
			wait_pending(&second.a);
		if (!ops->lock(&second.a, NULL))
			ops->unlock(&second.a, NULL);
		return;
	}
	wait_tail(&second.a, 2);
	word = word_kept(ops, READ_ONCE(second.a.word));
	seq = this_cpu_ptr(&res_cpu)->wait[0].seq;
	second.ok = EXPECT(ops->lock(&second.a, NULL) == -EDEADLK) &&
		    EXPECT(last_kind == RES_KIND_AA) &&
		    EXPECT(word_kept(ops, READ_ONCE(second.a.word)) == word) &&
		    EXPECT(this_cpu_ptr(&res_cpu)->wait[0].seq == seq);
	ops->unlock(&second.a, NULL);
}

/* The owner does not join the queue that waits for it. */
bool aa_behind_a_queue(const struct lab_ops *ops)
{
	memset(&second, 0, sizeof(second));
	second.ops = ops;
	second.barrier.n = 3;
	lab_team(3, second_play, NULL);
	return second.ok && EXPECT(res_is_free(second.a.word));
}

static struct second forged;

static void forged_play(int cpu, void *arg)
{
	const struct lab_ops *ops = forged.ops;

	(void)cpu;
	(void)arg;
	forged.ok = EXPECT(!ops->lock(&forged.a, NULL));
	if (forged.ok)
		ops->unlock(&forged.a, NULL);
}

/* A newcomer that takes the lock past its queue leaves the tail alone. */
static bool with_forged_tail(const struct lab_ops *ops, u32 tail)
{
	u32 after = ops->flags & LAB_HYBRID ? tail : 0;

	memset(&forged, 0, sizeof(forged));
	forged.ops = ops;
	forged.a.word = tail;
	lab_team(1, forged_play, NULL);
	return forged.ok && EXPECT(forged.a.word == after) && EXPECT(no_node_left());
}

/* An overwritten word names a CPU that does not exist: no waiter is in front. */
bool tail_of_no_cpu(const struct lab_ops *ops)
{
	return with_forged_tail(ops, ~0U << _Q_TAIL_CPU_OFFSET);
}

/* ... or one that does not wait for any lock. */
bool tail_of_an_idle_cpu(const struct lab_ops *ops)
{
	return with_forged_tail(ops, tail_of(3));
}
