// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include <pthread.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>

#include "team.h"

#define SPINS_BEFORE_YIELD 2000

struct member {
	pthread_t thread;
	int cpu;
	void (*fn)(int cpu, void *arg);
	void *arg;
};

static cpu_set_t allowed;

static void die(const char *what)
{
	perror(what);
	exit(1);
}

int lab_cpus(void)
{
	if (!CPU_COUNT(&allowed) && sched_getaffinity(0, sizeof(allowed), &allowed))
		die("lab: affinity");
	return CPU_COUNT(&allowed);
}

/* The @i-th of the CPUs allowed, counted round and round. */
static void pin(int i)
{
	cpu_set_t one;
	int cpu;

	i %= CPU_COUNT(&allowed);
	for (cpu = 0; !CPU_ISSET(cpu, &allowed) || i--; cpu++)
		;
	CPU_ZERO(&one);
	CPU_SET(cpu, &one);
	if (pthread_setaffinity_np(pthread_self(), sizeof(one), &one))
		die("lab: pin");
}

static void *run(void *p)
{
	struct member *m = p;

	pin(m->cpu);
	shim_set_cpu(m->cpu);
	m->fn(m->cpu, m->arg);
	return NULL;
}

void lab_team(int n, void (*fn)(int cpu, void *arg), void *arg)
{
	struct member *m = calloc(n, sizeof(*m));
	int i;

	if (!m || !lab_cpus())
		die("lab: team");
	for (i = 0; i < n; i++) {
		m[i] = (struct member){ .cpu = i, .fn = fn, .arg = arg };
		if (pthread_create(&m[i].thread, NULL, run, &m[i]))
			die("lab: thread");
	}
	for (i = 0; i < n; i++)
		pthread_join(m[i].thread, NULL);
	free(m);
}

static void pause_or_yield(u32 *spins)
{
	if (++*spins < SPINS_BEFORE_YIELD)
		cpu_relax();
	else
		sched_yield();
}

void lab_meet(struct lab_barrier *b)
{
	u32 round = smp_load_acquire(&b->round), spins = 0;

	if (__atomic_add_fetch(&b->arrived, 1, __ATOMIC_ACQ_REL) == b->n) {
		WRITE_ONCE(b->arrived, 0);
		smp_store_release(&b->round, round + 1);
		return;
	}
	while (smp_load_acquire(&b->round) == round)
		pause_or_yield(&spins);
}

void lab_wait_u32(const u32 *word, u32 val)
{
	u32 spins = 0;

	while (smp_load_acquire(word) != val)
		pause_or_yield(&spins);
}
