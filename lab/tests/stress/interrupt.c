// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Signals stand for interrupts. Levels 1 and 2 (softirq, hardirq) may wait and are deferred while
 * interrupts are off; level 3 is the NMI. Level 0 takes no lock: it simulates time that a
 * hypervisor steals.
 */
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

#include "../../threads/lib/team.h"
#include "stress.h"

#define STEAL	  0
#define NMI_LEVEL 3

struct source {
	const struct workload *w;
	const struct lab_ops *ops;
	int cpu;
	u64 seed;
	bool on;
	u32 due;
	timer_t timer[GHOST_LEVELS];
};

static __thread struct source source;
static const u32 mean_us[GHOST_LEVELS] = { 20, 300, 200, 250 };

static int signal_of(int level)
{
	return SIGRTMIN + level;
}

static void timer_arm(int level)
{
	u32 us = 5 + random_below(&source.seed, 2 * mean_us[level]);
	struct itimerspec once = { .it_value.tv_nsec = us * NSEC_PER_USEC };

	timer_settime(source.timer[level], 0, &once, NULL);
}

static void interrupt_run(int level)
{
	u32 kind = last_kind;
	bool nmi = shim_nmi;

	shim_nmi = nmi || level == NMI_LEVEL;
	work_once(source.w, source.ops, &ghost_ctx[source.cpu][level], &source.seed);
	shim_nmi = nmi;
	last_kind = kind;
}

static void on_signal(int sig)
{
	int level = sig - SIGRTMIN, error = errno;

	if (!source.on)
		return;
	if (level == STEAL) {
		spin_us(random_below(&source.seed, source.w->steal_us));
		if (source.w->threads > lab_cpus())
			sched_yield();
		timer_arm(level);
		return;
	}
	if (shim_irqs_off && level != NMI_LEVEL) {
		source.due |= 1U << level;
		shim_irq_due = true;
		return;
	}
	interrupt_run(level);
	timer_arm(level);
	errno = error;
}

static void interrupts_deliver(void)
{
	u32 due = __atomic_exchange_n(&source.due, 0, __ATOMIC_RELAXED);
	int level;

	shim_irq_due = false;
	for (level = 1; level < GHOST_LEVELS; level++) {
		if (due & (1U << level))
			raise(signal_of(level));
	}
}

static void handler_install(int level)
{
	struct sigaction sa = { .sa_handler = on_signal, .sa_flags = SA_RESTART };
	int l;

	sigemptyset(&sa.sa_mask);
	for (l = 0; l <= level; l++)
		sigaddset(&sa.sa_mask, signal_of(l));
	sigaction(signal_of(level), &sa, NULL);
}

static void errno_die(const char *what)
{
	perror(what);
	exit(1);
}

static void timer_start(int level)
{
	struct sigevent ev = { .sigev_notify = SIGEV_THREAD_ID, .sigev_signo = signal_of(level) };

	ev._sigev_un._tid = gettid();
	handler_install(level);
	if (timer_create(CLOCK_MONOTONIC, &ev, &source.timer[level]))
		errno_die("stress: interrupts");
	timer_arm(level);
}

void interrupts_start(const struct workload *w, const struct lab_ops *ops, int cpu)
{
	int level;

	source = (struct source){ w, ops, cpu, .seed = 0x9e3779b97f4a7c15ULL * (cpu + 1), true };
	shim_irq_deliver = interrupts_deliver;
	if (w->steal_us)
		timer_start(STEAL);
	for (level = 1; level <= w->interrupts; level++)
		timer_start(level);
}

void interrupts_stop(void)
{
	int level;

	source.on = false;
	if (source.w->steal_us)
		timer_delete(source.timer[STEAL]);
	for (level = 1; level <= source.w->interrupts; level++)
		timer_delete(source.timer[level]);
}
