// SPDX-License-Identifier: GPL-2.0-only
/*
 * An oracle. All CPUs take locks in one order, so no deadlock is possible and every -EDEADLK is
 * false. Half of the turns have interrupts on, and a timer of each CPU takes a lock in its
 * interrupt, one that no task takes.
 */
#include <linux/delay.h>
#include <linux/hrtimer.h>
#include <linux/kthread.h>
#include <linux/module.h>
#include <asm/rqspinlock.h>

#define ORDER_LOCKS 6
#define ORDER_BATCH 500

static int millions = 10;
module_param(millions, int, 0444);

static rqspinlock_t order_locks[ORDER_LOCKS], order_irq_lock;
static atomic64_t order_taken, order_refused, order_late, order_in_irq;
static struct task_struct *order_tasks[NR_CPUS];
static DEFINE_PER_CPU(struct hrtimer, order_timers);
static bool order_over;

static void order_account(int err)
{
	if (!err)
		atomic64_inc(&order_taken);
	else
		atomic64_inc(err == -EDEADLK ? &order_refused : &order_late);
}

static enum hrtimer_restart order_tick(struct hrtimer *timer)
{
	int err = raw_res_spin_lock(&order_irq_lock);

	order_account(err);
	if (!err) {
		atomic64_inc(&order_in_irq);
		raw_res_spin_unlock(&order_irq_lock);
	}
	hrtimer_forward_now(timer, us_to_ktime(500));
	return READ_ONCE(order_over) ? HRTIMER_NORESTART : HRTIMER_RESTART;
}

/* Take the locks of @set, lowest first, then release them. */
static void order_turn(u32 set)
{
	int i, err, n = 0, got[ORDER_LOCKS];

	for (i = 0; i < ORDER_LOCKS; i++) {
		if (!(set & BIT(i)))
			continue;
		err = raw_res_spin_lock(&order_locks[i]);
		order_account(err);
		if (err)
			break;
		got[n++] = i;
	}
	while (n)
		raw_res_spin_unlock(&order_locks[got[--n]]);
}

static u32 order_random(u32 s)
{
	s ^= s << 13;
	s ^= s >> 17;
	return s ^ s << 5;
}

static void order_batch(u32 *seed)
{
	unsigned long flags;
	int n;

	for (n = 0; n < ORDER_BATCH; n++) {
		*seed = order_random(*seed);
		if (*seed & BIT(20)) {
			order_turn(*seed);
			continue;
		}
		local_irq_save(flags);
		order_turn(*seed);
		local_irq_restore(flags);
	}
}

static int order_fn(void *arg)
{
	struct hrtimer *timer = this_cpu_ptr(&order_timers);
	u32 seed = 2463534242u + (long)arg * 7919;

	hrtimer_setup(timer, order_tick, CLOCK_MONOTONIC, HRTIMER_MODE_REL_PINNED_HARD);
	hrtimer_start(timer, us_to_ktime(500), HRTIMER_MODE_REL_PINNED_HARD);
	while (!kthread_should_stop()) {
		order_batch(&seed);
		cond_resched();
	}
	hrtimer_cancel(timer);
	return 0;
}

static int order_start(int cpu)
{
	struct task_struct *task =
		kthread_create(order_fn, (void *)(long)cpu, "rqspin_order/%d", cpu);

	if (IS_ERR(task))
		return PTR_ERR(task);
	order_tasks[cpu] = task;
	kthread_bind(task, cpu);
	wake_up_process(task);
	return 0;
}

static int __init order_init(void)
{
	s64 goal = millions * 1000000LL;
	int i, cpu, err = 0;

	for (i = 0; i < ORDER_LOCKS; i++)
		raw_res_spin_lock_init(&order_locks[i]);
	raw_res_spin_lock_init(&order_irq_lock);
	for_each_online_cpu(cpu) err = err ?: order_start(cpu);
	while (!err && atomic64_read(&order_taken) < goal)
		msleep(100);
	WRITE_ONCE(order_over, true);
	for_each_online_cpu(cpu) if (order_tasks[cpu]) kthread_stop(order_tasks[cpu]);
	pr_info("ORDER acquisitions %lld in_irq %lld false_EDEADLK %lld ETIMEDOUT %lld\n",
		atomic64_read(&order_taken), atomic64_read(&order_in_irq),
		atomic64_read(&order_refused), atomic64_read(&order_late));
	return err;
}

static void __exit order_exit(void)
{
}

module_init(order_init);
module_exit(order_exit);
MODULE_LICENSE("GPL");
MODULE_DESCRIPTION("Resilient locks taken in one order");
