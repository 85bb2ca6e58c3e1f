// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Threads that take a lock, write what it protects, release it, and do something else. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "locks/watch.h"
#include "run/run.h"

/**
 * struct load - a running job
 * @last:   CPU that had each lock last
 * @data:   the protected lines; @refs is the line for atomics outside
 * @took:   acquisitions of each thread since the warm-up
 */
struct load {
	struct sim sim;
	struct host host;
	const struct job *job;
	struct sim_lock *lock, **index;
	struct world *world;
	struct sim_line line[JOB_LINES + 1];
	struct sim_var data[JOB_LINES], refs;
	int *last;
	uint64_t *took, before, total, handed, far, errors;
	sim_time warm_end, waited, longest;
	bool warm;
};

static int draw_whole(struct sim_cpu *c, double n)
{
	int whole = n;

	return whole + (rng_unit(&c->sim->rng) < n - whole);
}

static void warmed_up(struct load *w)
{
	w->warm = true;
	w->warm_end = w->sim.now;
	for (int i = 0; i < w->job->locks; i++)
		w->lock[i].queued = w->lock[i].unfair = 0;
}

static void load_count(struct load *w, struct sim_cpu *c, int lock, sim_time waited)
{
	const struct job *j = w->job;
	int last = w->last[lock];

	w->last[lock] = c->id;
	if (!w->warm) {
		if (++w->before > (j->warm ? 0 : j->acquisitions / 5) && w->sim.now >= j->warm)
			warmed_up(w);
		return;
	}
	w->took[c->id]++;
	w->handed++;
	w->far += last >= 0 && w->sim.cpu[last].place.socket != c->place.socket;
	w->waited += waited;
	if (waited > w->longest)
		w->longest = waited;
	if (++w->total >= j->acquisitions || w->sim.now - w->warm_end >= j->span)
		w->sim.stop = true;
}

static void load_section(struct load *w, struct sim_cpu *c, struct sim_lock *l)
{
	int n = draw_whole(c, w->job->lines);

	for (int i = 0; i < n; i++)
		sim_own(c, i || !w->job->embedded ? &w->data[i] : &l->data);
	sim_delay(c, w->job->cs);
}

static void load_outside(struct load *w, struct sim_cpu *c)
{
	for (int n = draw_whole(c, w->job->refs); n > 0; n--)
		sim_add(c, &w->refs, 1);
	sim_delay(c, w->job->ncs * (0.5 + rng_unit(&c->sim->rng)));
}

static void load_thread(struct sim_cpu *c)
{
	struct load *w = c->user;
	int n;

	for (;;) {
		sim_time start = c->sim->now;

		n = w->job->locks > 1 ? (int)rng_below(&c->sim->rng, w->job->locks) : 0;
		if (w->lock[n].ops->acquire(c, &w->lock[n])) {
			w->errors++;
			continue;
		}
		load_count(w, c, n, c->sim->now - start);
		load_section(w, c, &w->lock[n]);
		w->lock[n].ops->release(c, &w->lock[n]);
		load_outside(w, c);
	}
}

static int set_up_locks(struct load *w)
{
	int n = w->job->locks;

	w->lock = calloc(n, sizeof(*w->lock));
	w->index = calloc(n, sizeof(*w->index));
	w->last = malloc(n * sizeof(*w->last));
	w->took = calloc(w->job->threads, sizeof(*w->took));
	if (!w->lock || !w->index || !w->last || !w->took)
		return -ENOMEM;
	memset(w->last, -1, n * sizeof(*w->last));
	for (int i = 0; i < n; i++) {
		w->index[i] = &w->lock[i];
		if (lock_init(&w->lock[i], w->job->ops, &w->sim, i))
			return -ENOMEM;
	}
	w->world = world_new(&w->sim, w->index, n);
	return w->world ? 0 : -ENOMEM;
}

static int set_up(struct load *w, const struct job *j)
{
	w->job = j;
	if (sim_init(&w->sim, &j->topo, j->threads, j->seed, load_thread))
		return -ENOMEM;
	for (int i = 0; i < j->threads; i++)
		w->sim.cpu[i].user = w;
	for (int i = 0; i <= JOB_LINES; i++)
		line_init(&w->line[i], &w->sim, 0);
	for (int i = 0; i < JOB_LINES; i++)
		w->data[i].line = &w->line[i];
	w->refs.line = &w->line[JOB_LINES];
	if (j->host.pcpus && host_init(&w->host, &w->sim, &j->host))
		return -ENOMEM;
	return set_up_locks(w);
}

static int compare_descending(const void *a, const void *b)
{
	uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;

	return (x < y) - (x > y);
}

static void result_fairness(struct load *w, struct result *r)
{
	int n = w->job->threads;
	double squares = 0, half = 0;

	qsort(w->took, n, sizeof(*w->took), compare_descending);
	for (int i = 0; i < n; i++) {
		squares += (double)w->took[i] * w->took[i];
		half += i < n / 2 ? w->took[i] : n % 2 && i == n / 2 ? w->took[i] / 2.0 : 0;
	}
	r->jain = squares ? (double)w->total * w->total / (n * squares) : 0;
	r->busier = w->total ? half / w->total : 0;
}

static void result_measure(struct load *w, struct result *r)
{
	sim_time span = w->warm ? w->sim.now - w->warm_end : 0;

	*r = (struct result){ .acquisitions = w->total, .errors = w->errors };
	r->seconds = span / 1e12;
	r->rate = span ? w->total / r->seconds : 0;
	r->remote = w->handed ? (double)w->far / w->handed : 0;
	r->longest = w->longest / 1e3;
	r->mean = w->total ? w->waited / 1e3 / w->total : 0;
	for (int i = 0; i < w->job->locks; i++) {
		r->queued += w->lock[i].queued;
		r->unfair += w->lock[i].unfair;
	}
	r->preempted = w->host.preempted;
	r->halts = w->host.halts;
	r->kicks = w->host.kicks;
	result_fairness(w, r);
}

static void tear_down(struct load *w)
{
	for (int i = 0; w->lock && i < w->job->locks; i++)
		if (w->lock[i].ops)
			lock_done(&w->lock[i]);
	for (int i = 0; i <= JOB_LINES; i++)
		line_free(&w->line[i]);
	world_free(w->world);
	host_free(&w->host);
	free(w->lock);
	free(w->index);
	free(w->last);
	free(w->took);
	sim_free(&w->sim);
}

int run_job(const struct job *j, struct result *r)
{
	struct load *w = calloc(1, sizeof(*w));
	int ret;

	if (!w)
		return -ENOMEM;
	ret = set_up(w, j);
	if (!ret) {
		sim_run(&w->sim, j->warm + j->span);
		result_measure(w, r);
	}
	tear_down(w);
	free(w);
	return ret;
}
