// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include <err.h>
#include <fcntl.h>
#include <ftw.h>
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "run.h"

struct worker {
	_Alignas(128) atomic_ulong done;
	const struct test *test;
	struct place place;
	pthread_t thread;
	int cpu;
	bool failed;
};

static atomic_bool over;
static char root[480];

static int remove_one(const char *path, const struct stat *st, int type, struct FTW *ftw)
{
	(void)st, (void)type, (void)ftw;
	return remove(path);
}

/* Also runs at exit, because err() exits. */
static void clean_up(void)
{
	if (*root)
		nftw(root, remove_one, 16, FTW_DEPTH | FTW_PHYS);
	*root = 0;
}

static void make_root(const char *folder)
{
	static bool once;

	if (!once && atexit(clean_up))
		errx(1, "no memory");
	once = true;
	if ((size_t)snprintf(root, sizeof(root), "%s/scale.XXXXXX", folder) >= sizeof(root))
		errx(2, "%s: too long", folder);
	if (!mkdtemp(root)) {
		*root = 0;
		err(1, "no folder in %s", folder);
	}
}

static void make_place(struct worker *w, int i)
{
	struct place *p = &w->place;
	int own = w->test->one_file ? 0 : i;

	strcpy(p->folder, root);
	if (w->test->own_folder) {
		snprintf(p->folder, sizeof(p->folder), "%s/%d", root, i);
		if (mkdir(p->folder, 0700))
			err(1, "%s", p->folder);
	}
	snprintf(p->path, sizeof(p->path), "%s/file-%d", p->folder, own);
	p->fd = open(p->path, O_RDWR | O_CREAT | O_CLOEXEC, 0600);
	if (p->fd < 0)
		err(1, "%s", p->path);
}

/* Pins thread @i to the @i-th allowed CPU, modulo their number. */
static void thread_pin(int i)
{
	cpu_set_t allowed, one;
	int cpu;

	if (sched_getaffinity(0, sizeof(allowed), &allowed))
		err(1, "affinity");
	i %= CPU_COUNT(&allowed);
	for (cpu = 0; !CPU_ISSET(cpu, &allowed) || i--; cpu++)
		;
	CPU_ZERO(&one);
	CPU_SET(cpu, &one);
	if (pthread_setaffinity_np(pthread_self(), sizeof(one), &one))
		err(1, "affinity");
}

static void *worker_run(void *arg)
{
	struct worker *w = arg;
	int ops;

	thread_pin(w->cpu);
	while (!atomic_load_explicit(&over, memory_order_relaxed)) {
		ops = w->test->step(&w->place);
		if (ops < 0) {
			w->failed = true;
			break;
		}
		atomic_fetch_add_explicit(&w->done, ops, memory_order_relaxed);
	}
	return NULL;
}

static double seconds_now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
}

static void seconds_pass(double seconds)
{
	struct timespec t = { .tv_sec = (time_t)seconds };

	t.tv_nsec = (long)((seconds - (double)t.tv_sec) * 1e9);
	while (nanosleep(&t, &t))
		;
}

static void workers_start(struct worker *w, const struct test *test, int n)
{
	int i;

	atomic_store(&over, false);
	for (i = 0; i < n; i++) {
		w[i].test = test;
		w[i].cpu = i;
		make_place(&w[i], i);
	}
	for (i = 0; i < n; i++)
		if (pthread_create(&w[i].thread, NULL, worker_run, &w[i]))
			errx(1, "no thread %d", i);
}

static void workers_stop(struct worker *w, int n)
{
	int i;

	atomic_store(&over, true);
	for (i = 0; i < n; i++) {
		pthread_join(w[i].thread, NULL);
		close(w[i].place.fd);
	}
	for (i = 0; i < n; i++)
		if (w[i].failed)
			errx(1, "%s: a system call failed in %s", w[i].test->name, w[i].place.path);
}

static void workers_count(struct worker *w, int n, const struct run_options *o,
			  struct run_result *r)
{
	unsigned long before[MAX_THREADS];
	double began, took, rate;
	int i;

	seconds_pass(o->warm_up);
	began = seconds_now();
	for (i = 0; i < n; i++)
		before[i] = atomic_load(&w[i].done);
	seconds_pass(o->seconds);
	took = seconds_now() - began;
	*r = (struct run_result){ 0 };
	for (i = 0; i < n; i++) {
		rate = (double)(atomic_load(&w[i].done) - before[i]) / took;
		r->per_second += rate;
		r->most = rate > r->most ? rate : r->most;
		r->least = !i || rate < r->least ? rate : r->least;
	}
}

void run_test(const struct test *test, int threads, const struct run_options *o,
	      struct run_result *result)
{
	struct worker *w = aligned_alloc(128, threads * sizeof(*w));

	if (!w)
		errx(1, "no memory");
	memset(w, 0, threads * sizeof(*w));
	make_root(o->folder);
	workers_start(w, test, threads);
	workers_count(w, threads, o, result);
	workers_stop(w, threads);
	clean_up();
	free(w);
}
