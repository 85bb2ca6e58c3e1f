// SPDX-License-Identifier: GPL-2.0-only
/*
 * A ring of tasks, each on its own CPU with interrupts off: each holds its lock and wants that of
 * the next. Prints how long the first of them waited until it was refused, and how many were.
 */
#include <linux/atomic.h>
#include <linux/delay.h>
#include <linux/kthread.h>
#include <linux/module.h>
#include <linux/sort.h>
#include <asm/rqspinlock.h>

#define RING_MAX   32
#define ROUNDS_MAX 1000

static int parties = 3, rounds = 20;
module_param(parties, int, 0444);
module_param(rounds, int, 0444);

struct ring_member {
	struct task_struct *task;
	rqspinlock_t lock;
	int result;
	u64 ns;
};

static struct ring_member ring[RING_MAX];
static atomic_t ring_arrived, ring_left;
static int ring_round = -1;
static u64 ring_first[ROUNDS_MAX];

static void ring_turn(struct ring_member *m)
{
	struct ring_member *next = &ring[(m - ring + 1) % parties];
	unsigned long flags;
	u64 begun;

	local_irq_save(flags);
	m->result = raw_res_spin_lock(&m->lock);
	atomic_inc(&ring_arrived);
	while (atomic_read(&ring_arrived) < parties)
		cpu_relax();
	if (!m->result) {
		begun = ktime_get_mono_fast_ns();
		m->result = raw_res_spin_lock(&next->lock);
		m->ns = ktime_get_mono_fast_ns() - begun;
		if (!m->result)
			raw_res_spin_unlock(&next->lock);
		raw_res_spin_unlock(&m->lock);
	}
	local_irq_restore(flags);
	atomic_inc(&ring_left);
}

static int ring_fn(void *arg)
{
	int last = -1;

	while (!kthread_should_stop()) {
		if (READ_ONCE(ring_round) == last) {
			usleep_range(50, 100);
			continue;
		}
		last = READ_ONCE(ring_round);
		ring_turn(arg);
	}
	return 0;
}

static int ring_start(int i)
{
	struct ring_member *m = &ring[i];

	raw_res_spin_lock_init(&m->lock);
	m->task = kthread_create(ring_fn, m, "rqspin_ring/%d", i);
	if (IS_ERR(m->task))
		return PTR_ERR(m->task);
	kthread_bind(m->task, i);
	wake_up_process(m->task);
	return 0;
}

static int u64_compare(const void *a, const void *b)
{
	return *(u64 *)a < *(u64 *)b ? -1 : *(u64 *)a > *(u64 *)b;
}

/* How many were refused; @refused and @late count them by errno. */
static int ring_count(int n, int *refused, int *late)
{
	int i, victims = 0;
	u64 first = U64_MAX;

	for (i = 0; i < parties; i++) {
		if (!ring[i].result)
			continue;
		victims++;
		first = min(first, ring[i].ns);
		*refused += ring[i].result == -EDEADLK;
		*late += ring[i].result == -ETIMEDOUT;
	}
	ring_first[n] = first;
	return victims;
}

static void ring_run(void)
{
	int n, victims, sum = 0, one = 0, refused = 0, late = 0;

	for (n = 0; n < rounds; n++) {
		atomic_set(&ring_arrived, 0);
		atomic_set(&ring_left, 0);
		WRITE_ONCE(ring_round, n);
		while (atomic_read(&ring_left) < parties)
			usleep_range(500, 1000);
		victims = ring_count(n, &refused, &late);
		sum += victims;
		one += victims == 1;
	}
	sort(ring_first, rounds, sizeof(*ring_first), u64_compare, NULL);
	pr_info("RING %d parties %d rounds: first_us %llu %llu %llu victims %d one %d EDEADLK %d ETIMEDOUT %d\n",
		parties, rounds, ring_first[rounds / 2] / 1000, ring_first[rounds * 9 / 10] / 1000,
		ring_first[rounds - 1] / 1000, sum, one, refused, late);
}

static int __init ring_init(void)
{
	int i, err = 0;

	if (parties < 2 || parties > min(RING_MAX, (int)num_online_cpus()) || rounds < 1 ||
	    rounds > ROUNDS_MAX)
		return -EINVAL;
	for (i = 0; i < parties && !err; i++)
		err = ring_start(i);
	if (!err)
		ring_run();
	while (--i >= 0)
		if (!IS_ERR(ring[i].task))
			kthread_stop(ring[i].task);
	return err;
}

static void __exit ring_exit(void)
{
}

module_init(ring_init);
module_exit(ring_exit);
MODULE_LICENSE("GPL");
MODULE_DESCRIPTION("Rings of resilient locks");
