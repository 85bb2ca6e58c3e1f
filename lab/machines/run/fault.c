// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include <errno.h>
#include <stdlib.h>

#include "locks/watch.h"
#include "run/fault.h"

#define START (20 * SIM_US)
#define APART (5 * SIM_US)
#define LIMIT (1000 * SIM_MS)

/**
 * struct fault - a round
 * @lock:  one for each party, and the bystanders'
 * @party: which CPU is which party, -1: none
 * @error, @closed, @found: the first error; when the last party called; when that was
 */
struct fault {
	struct sim sim;
	const struct job *job;
	struct sim_lock *lock, **index;
	struct world *world;
	int *party, error;
	sim_time closed, found;
};

static void cpu_rest(struct sim_cpu *c)
{
	for (;;)
		sim_delay(c, 1000 * SIM_MS);
}

static void cpu_bystand(struct fault *f, struct sim_cpu *c)
{
	struct sim_lock *l = &f->lock[f->job->parties];

	for (;;) {
		if (l->ops->acquire(c, l))
			cpu_rest(c);
		sim_delay(c, f->job->cs);
		l->ops->release(c, l);
		sim_delay(c, f->job->ncs * (0.5 + rng_unit(&c->sim->rng)));
	}
}

static void take_part(struct fault *f, struct sim_cpu *c, int n)
{
	struct sim_lock *mine = &f->lock[n], *next = &f->lock[(n + 1) % f->job->parties];
	int ret;

	mine->ops->acquire(c, mine);
	sim_delay(c, START + (n + 1) * APART - c->sim->now);
	if (n == f->job->parties - 1)
		f->closed = c->sim->now;
	ret = next->ops->acquire(c, next);
	if (ret && !f->error) {
		f->error = ret;
		f->found = c->sim->now;
		c->sim->stop = true;
	}
	cpu_rest(c);
}

static void fault_thread(struct sim_cpu *c)
{
	struct fault *f = c->user;

	if (f->party[c->id] < 0)
		cpu_bystand(f, c);
	take_part(f, c, f->party[c->id]);
}

static void draw_parties(struct fault *f, int cpus)
{
	for (int i = 0; i < cpus; i++)
		f->party[i] = -1;
	for (int n = 0; n < f->job->parties; n++) {
		int cpu;

		do {
			cpu = rng_below(&f->sim.rng, cpus);
		} while (f->party[cpu] >= 0);
		f->party[cpu] = n;
	}
}

static int set_up(struct fault *f, uint64_t seed)
{
	int locks = f->job->parties + 1, cpus = f->job->threads;

	if (sim_init(&f->sim, &f->job->topo, cpus, seed, fault_thread))
		return -ENOMEM;
	f->lock = calloc(locks, sizeof(*f->lock));
	f->index = calloc(locks, sizeof(*f->index));
	f->party = calloc(cpus, sizeof(*f->party));
	if (!f->lock || !f->index || !f->party)
		return -ENOMEM;
	for (int i = 0; i < locks; i++) {
		f->index[i] = &f->lock[i];
		if (lock_init(&f->lock[i], f->job->ops, &f->sim, i))
			return -ENOMEM;
	}
	f->world = world_new(&f->sim, f->index, locks);
	if (!f->world)
		return -ENOMEM;
	for (int i = 0; i < cpus; i++)
		f->sim.cpu[i].user = f;
	draw_parties(f, cpus);
	return 0;
}

static void tear_down(struct fault *f)
{
	for (int i = 0; f->lock && i <= f->job->parties; i++)
		if (f->lock[i].ops)
			lock_done(&f->lock[i]);
	world_free(f->world);
	free(f->lock);
	free(f->index);
	free(f->party);
	sim_free(&f->sim);
}

static int play_round(const struct job *j, uint64_t seed, struct fault_result *r, double *ns)
{
	struct fault *f = calloc(1, sizeof(*f));
	int ret;

	if (!f)
		return -ENOMEM;
	f->job = j;
	ret = set_up(f, seed);
	if (!ret)
		sim_run(&f->sim, LIMIT);
	r->deadlocks += f->error == -EDEADLK;
	r->timeouts += f->error == -ETIMEDOUT;
	r->unseen += !f->error;
	*ns = ((f->error ? f->found : LIMIT) - f->closed) / 1e3;
	tear_down(f);
	free(f);
	return ret;
}

static int compare_doubles(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;

	return (x > y) - (x < y);
}

int run_fault(const struct job *j, struct fault_result *r)
{
	double *ns = calloc(j->rounds, sizeof(*ns));
	int ret = ns ? 0 : -ENOMEM;

	*r = (struct fault_result){ 0 };
	for (int i = 0; !ret && i < j->rounds; i++)
		ret = play_round(j, j->seed + i, r, &ns[i]);
	if (!ret) {
		qsort(ns, j->rounds, sizeof(*ns), compare_doubles);
		r->p50 = ns[j->rounds / 2];
		r->p99 = ns[j->rounds * 99 / 100];
		r->max = ns[j->rounds - 1];
	}
	free(ns);
	return ret;
}
