// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Torture under an oracle: no false verdict, no missed cycle, no two owners of a lock. */
#include <argp.h>
#include <errno.h>
#include <pthread.h>
#include <semaphore.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

#include "../../threads/lib/team.h"
#include "stress.h"

#define MAX_CPUS    16
#define YIELD_EVERY 20
#define HANG_S	    5

struct options {
	const char *only;
	int seconds;
	bool real_time;
	u64 seed;
};

struct run {
	const struct workload *w;
	const struct lab_ops *ops;
	struct lab_barrier barrier;
	u64 seed;
	u64 ns; /* from when all threads have started */
	sem_t over;
};

struct sums {
	u64 acquired, deadlocks, nested, timeouts;
};

static int passed, failed;
static struct sums total;

static void on_failure(const struct shim_failure *f)
{
	last_kind = f->kind;
}

static struct sums sum_up(void)
{
	struct sums s = { 0 };
	int cpu, level;

	for (cpu = 0; cpu < MAX_CPUS; cpu++) {
		for (level = 0; level < GHOST_LEVELS; level++) {
			struct ghost_ctx *c = &ghost_ctx[cpu][level];

			s.acquired += READ_ONCE(c->acquired);
			s.deadlocks += READ_ONCE(c->deadlocks);
			s.nested += READ_ONCE(c->nested);
			s.timeouts += READ_ONCE(c->timeouts);
		}
	}
	return s;
}

static void stress_work(int cpu, void *arg)
{
	struct run *r = arg;
	u64 seed = (r->seed + cpu) * 0x9e3779b97f4a7c15ULL | 1;

	u64 end;

	lab_meet(&r->barrier);
	end = shim_clock() + r->ns;
	interrupts_start(r->w, r->ops, cpu);
	while (shim_clock() < end)
		work_once(r->w, r->ops, &ghost_ctx[cpu][0], &seed);
	interrupts_stop();
	lab_meet(&r->barrier);
}

static void tell_hang(const struct run *r)
{
	printf("not ok - %s, %s: nothing moves for %d s\n", r->ops->name, r->w->name, HANG_S);
	printf("\n%d passed, %d failed, 0 skipped\n", passed, failed + 1);
	fflush(stdout);
	ghost_dump();
	_exit(1);
}

/* Waits for a second, or for the end of the run. True: it has ended. */
static bool run_wait(struct run *r)
{
	struct timespec end;
	int err;

	clock_gettime(CLOCK_MONOTONIC, &end);
	end.tv_sec++;
	do {
		err = sem_clockwait(&r->over, CLOCK_MONOTONIC, &end);
	} while (err && errno == EINTR);
	return !err;
}

/* Counts looks, not seconds: the whole machine may have stood still between two. */
static void *hang_watch(void *arg)
{
	struct run *r = arg;
	u64 last = 0;
	int still = 0;

	while (!run_wait(r)) {
		struct sums s = sum_up();
		u64 now = s.acquired + s.deadlocks + s.nested + s.timeouts;

		still = now == last ? still + 1 : 0;
		last = now;
		if (still >= HANG_S)
			tell_hang(r);
	}
	return NULL;
}

/* Failures that the oracle cannot judge, because its log was overwritten, must stay rare. */
#define UNCLEAR_ONE_IN 100

static bool run_verdict(const struct run *r, const struct sums *s, int left)
{
	const struct ghost_faults *f = &ghost_faults;
	bool ok = !left && !f->exclusion && !f->false_verdict && !f->false_nested && !f->missed &&
		  !f->early && !f->silent && s->acquired &&
		  f->unclear <= 10 + (s->deadlocks + s->timeouts) / UNCLEAR_ONE_IN;

	printf("%-6s %-15s %-22s %11llu %9llu %8llu %6llu %6llu   %llu %llu %llu %llu %llu %llu %d\n",
	       ok ? "ok" : "not ok", r->ops->name, r->w->name, (unsigned long long)s->acquired,
	       (unsigned long long)s->deadlocks, (unsigned long long)s->nested,
	       (unsigned long long)s->timeouts, (unsigned long long)f->unclear,
	       (unsigned long long)f->exclusion, (unsigned long long)f->false_verdict,
	       (unsigned long long)f->false_nested, (unsigned long long)f->missed,
	       (unsigned long long)f->early, (unsigned long long)f->silent, left);
	fflush(stdout);
	return ok;
}

static void stress_run(const struct workload *w, const struct lab_ops *ops, u64 ns, u64 seed)
{
	static struct run r;
	pthread_t watcher;
	struct sums s;
	int i, threads = w->threads ? w->threads : lab_cpus();

	r = (struct run){ .w = w, .ops = ops, .barrier.n = threads, .seed = seed, .ns = ns };
	shim_yield_every = threads > lab_cpus() ? YIELD_EVERY : 0;
	ghost_reset();
	for (i = 0; i < w->locks; i++)
		ops->init(&work_lock[i]);
	sem_init(&r.over, 0, 0);
	pthread_create(&watcher, NULL, hang_watch, &r);
	lab_team(threads, stress_work, &r);
	sem_post(&r.over);
	pthread_join(watcher, NULL);
	sem_destroy(&r.over);
	s = sum_up();
	if (run_verdict(&r, &s, check_quiet(w->locks)))
		passed++;
	else
		failed++;
	total.acquired += s.acquired;
	total.deadlocks += s.deadlocks;
	total.nested += s.nested;
	total.timeouts += s.timeouts;
}

static error_t stress_parse(int key, char *arg, struct argp_state *state)
{
	struct options *o = state->input;

	switch (key) {
	case 's':
		o->seconds = atoi(arg);
		if (o->seconds < 1)
			argp_error(state, "--seconds: at least 1");
		return 0;
	case 'R':
		o->real_time = true;
		return 0;
	case 'o':
		o->only = arg;
		return 0;
	case 'r':
		o->seed = strtoull(arg, NULL, 0);
		return 0;
	}
	return ARGP_ERR_UNKNOWN;
}

static int count_runs(const struct options *o)
{
	int i, k, n = 0;

	for (i = 0; lab_locks[i]; i++) {
		for (k = 0; lab_locks[i]->flags & LAB_OURS && workloads[k].name; k++)
			n += !o->only || !strcmp(o->only, workloads[k].name);
	}
	return n;
}

static void run_all(const struct options *o)
{
	int i, k, n = count_runs(o);

	if (!n) {
		fprintf(stderr, "stress: no workload '%s'\n", o->only);
		exit(2);
	}
	for (i = 0; lab_locks[i]; i++) {
		for (k = 0; lab_locks[i]->flags & LAB_OURS && workloads[k].name; k++) {
			if (!o->only || !strcmp(o->only, workloads[k].name))
				stress_run(&workloads[k], lab_locks[i],
					   o->seconds * NSEC_PER_SEC / n, o->seed);
		}
	}
}

int main(int argc, char **argv)
{
	static const struct argp_option table[] = {
		{ "seconds", 's', "N", 0, "for how long in all (default 60)", 0 },
		{ "only", 'o', "WORKLOAD", 0, "one of them", 0 },
		{ "real-time", 'R', NULL, 0, "at real-time priority, in turns of 2 ms", 0 },
		{ "seed", 'r', "N", 0, "of the random choices (default: the time)", 0 },
		{ 0 },
	};
	static const struct argp argp = {
		table, stress_parse, NULL, "Torture under an oracle", 0, 0, 0
	};
	struct options o = { .seconds = 60, .seed = time(NULL) };

	argp_parse(&argp, argc, argv, 0, NULL, &o);
	shim_init(MAX_CPUS);
	shim_on_failure = on_failure;
	shim_on_ms = ghost_ran;
	lab_real_time = o.real_time;
	printf("seed %llu; %d CPUs\n", (unsigned long long)o.seed, lab_cpus());
	printf("       %-15s %-22s %11s %9s %8s %6s %6s   %s\n", "lock", "workload", "acquired",
	       "deadlock", "nested", "limit", "unkn",
	       "faults: exclusion, false, nested, missed, early, silent, left");
	run_all(&o);
	printf("%llu acquisitions, %llu deadlocks, %llu nested, %llu time limits\n",
	       (unsigned long long)total.acquired, (unsigned long long)total.deadlocks,
	       (unsigned long long)total.nested, (unsigned long long)total.timeouts);
	printf("\n%d passed, %d failed, 0 skipped\n", passed, failed);
	return failed != 0;
}
