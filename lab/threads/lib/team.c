// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include <limits.h>
#include <linux/futex.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "team.h"

#define SPINS_BEFORE_SLEEP 20000

struct member {
	pthread_t thread;
	int cpu;
	bool turns;
	void (*fn)(int cpu, void *arg);
	void *arg;
};

#define SLICE_US 2000

bool lab_real_time = true;

static cpu_set_t allowed;

static void errno_die(const char *what)
{
	perror(what);
	exit(1);
}

int lab_cpus(void)
{
	if (!CPU_COUNT(&allowed) && sched_getaffinity(0, sizeof(allowed), &allowed))
		errno_die("lab: affinity");
	return CPU_COUNT(&allowed);
}

/* Pins the thread to the @i-th of the allowed CPUs, modulo their number. */
static void thread_pin(int i)
{
	cpu_set_t one;
	int cpu;

	i %= CPU_COUNT(&allowed);
	for (cpu = 0; !CPU_ISSET(cpu, &allowed) || i--; cpu++)
		;
	CPU_ZERO(&one);
	CPU_SET(cpu, &one);
	if (pthread_setaffinity_np(pthread_self(), sizeof(one), &one))
		errno_die("lab: pin");
}

static void take_turns(int sig)
{
	sched_yield();
}

/* After each slice of its CPU time, this thread yields to the next one of the same priority. */
static void thread_slice(void)
{
	static const struct itimerspec every = {
		.it_value.tv_nsec = SLICE_US * NSEC_PER_USEC,
		.it_interval.tv_nsec = SLICE_US * NSEC_PER_USEC,
	};
	struct sigevent ev = { .sigev_notify = SIGEV_THREAD_ID, .sigev_signo = SIGPROF };
	timer_t timer;

	signal(SIGPROF, take_turns);
	ev._sigev_un._tid = gettid();
	if (timer_create(CLOCK_THREAD_CPUTIME_ID, &ev, &timer) ||
	    timer_settime(timer, 0, &every, NULL))
		errno_die("lab: slices");
}

/*
 * Real-time priority, so that other load does not distort the figures. Without the right to it,
 * that is accepted.
 */
static void priority_raise(bool turns)
{
	static const struct sched_param fifo = { .sched_priority = 1 };

	if (!lab_real_time || sched_setscheduler(0, SCHED_FIFO, &fifo))
		return;
	if (turns)
		thread_slice();
}

static void *member_run(void *p)
{
	struct member *m = p;

	thread_pin(m->cpu);
	priority_raise(m->turns);
	shim_set_cpu(m->cpu);
	m->fn(m->cpu, m->arg);
	return NULL;
}

void lab_team(int n, void (*fn)(int cpu, void *arg), void *arg)
{
	struct member *m = calloc(n, sizeof(*m));
	int i;

	if (!m || !lab_cpus())
		errno_die("lab: team");
	for (i = 0; i < n; i++) {
		m[i] = (struct member){ .cpu = i, .turns = n > lab_cpus(), .fn = fn, .arg = arg };
		if (pthread_create(&m[i].thread, NULL, member_run, &m[i]))
			errno_die("lab: thread");
	}
	for (i = 0; i < n; i++)
		pthread_join(m[i].thread, NULL);
	free(m);
}

/*
 * Sleeps until *word is not @val. A thread that yielded instead would pay for it later with long
 * times off the CPU, some of them with a lock held.
 */
static void sleep_while(u32 *word, u32 val)
{
	syscall(SYS_futex, word, FUTEX_WAIT_PRIVATE, val, NULL, NULL, 0);
}

static void wake_all(u32 *word)
{
	syscall(SYS_futex, word, FUTEX_WAKE_PRIVATE, INT_MAX, NULL, NULL, 0);
}

void lab_meet(struct lab_barrier *b)
{
	u32 round = smp_load_acquire(&b->round), spins = 0;

	if (__atomic_add_fetch(&b->arrived, 1, __ATOMIC_ACQ_REL) == b->n) {
		WRITE_ONCE(b->arrived, 0);
		__atomic_store_n(&b->round, round + 1, __ATOMIC_SEQ_CST);
		if (b->n > (u32)lab_cpus() || READ_ONCE(b->asleep))
			wake_all(&b->round);
		return;
	}
	while (smp_load_acquire(&b->round) == round) {
		if (b->n <= (u32)lab_cpus() && ++spins < SPINS_BEFORE_SLEEP) {
			cpu_relax();
			continue;
		}
		__atomic_add_fetch(&b->asleep, 1, __ATOMIC_SEQ_CST);
		sleep_while(&b->round, round);
		__atomic_sub_fetch(&b->asleep, 1, __ATOMIC_SEQ_CST);
	}
}

void lab_add_u32(u32 *word)
{
	__atomic_add_fetch(word, 1, __ATOMIC_ACQ_REL);
	wake_all(word);
}

void lab_wait_u32(u32 *word, u32 val)
{
	u32 now;

	while ((now = smp_load_acquire(word)) != val)
		sleep_while(word, now);
}

void lab_poll(void)
{
	static const struct timespec pause = { .tv_nsec = 50 * NSEC_PER_USEC };

	nanosleep(&pause, NULL);
}
