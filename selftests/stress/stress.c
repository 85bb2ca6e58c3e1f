// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * stress SECONDS: drive stress.bpf.o from two pinned threads per CPU and a
 * timer on every CPU, print what every map answered in every context.
 */
#include <errno.h>
#include <linux/perf_event.h>
#include <pthread.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include <bpf/bpf.h>
#include <bpf/libbpf.h>

#include "stress.h"
#include "selftests/stress/stress.bpf.skel.h"

#define TICK_NS 100000
#define BATCH	1000

static volatile int stop;

struct worker {
	pthread_t thread;
	int cpu;
	int prog_fd;
	unsigned long runs;
};

static void *work(void *arg)
{
	char packet[64] = {};
	struct worker *w = arg;
	cpu_set_t set;

	CPU_ZERO(&set);
	CPU_SET(w->cpu, &set);
	sched_setaffinity(0, sizeof(set), &set);
	while (!stop) {
		LIBBPF_OPTS(bpf_test_run_opts, opts, .data_in = packet,
			    .data_size_in = sizeof(packet), .repeat = BATCH);

		if (bpf_prog_test_run_opts(w->prog_fd, &opts))
			break;
		w->runs += BATCH;
	}
	return NULL;
}

/* The CPUs we may run on: of the possible ones some may be offline. Returns how many. */
static int usable_cpus(int cpus[CPU_SETSIZE])
{
	cpu_set_t set;
	int nr = 0;

	if (sched_getaffinity(0, sizeof(set), &set))
		return 0;
	for (int cpu = 0; cpu < CPU_SETSIZE; cpu++)
		if (CPU_ISSET(cpu, &set))
			cpus[nr++] = cpu;
	return nr;
}

static int attach_ticks(struct stress_bpf *skel, const int *cpus, int nr)
{
	struct perf_event_attr attr = {
		.size = sizeof(attr),
		.type = PERF_TYPE_SOFTWARE,
		.config = PERF_COUNT_SW_CPU_CLOCK,
		.sample_period = TICK_NS,
	};

	for (int i = 0; i < nr; i++) {
		int fd = syscall(SYS_perf_event_open, &attr, -1, cpus[i], -1, 0);

		if (fd < 0 || !bpf_program__attach_perf_event(skel->progs.tick, fd)) {
			printf("# no timer on CPU %d: %s\n", cpus[i], strerror(errno));
			return -1;
		}
	}
	return 0;
}

static void attach_tracepoint(struct bpf_program *prog)
{
	if (!bpf_program__attach(prog))
		printf("# %s not attached: %s\n", bpf_program__name(prog), strerror(errno));
}

static void print_counts(const struct stress_counts *c)
{
	static const char *const ctx[] = { "task", "tick", "switch", "contention", "ipi" };
	static const char *const map[] = { "hash", "lru", "lpm", "ringbuf", "growing" };

	printf("# %-10s %-8s %12s %10s %10s %10s %10s\n", "context", "map", "ok", "EDEADLK",
	       "ETIMEDOUT", "EBUSY", "other");
	for (int i = 0; i < CTX_MAX; i++)
		for (int m = 0; m < MAP_KINDS; m++)
			printf("# %-10s %-8s %12llu %10llu %10llu %10llu %10llu\n", ctx[i], map[m],
			       c->n[i][m][RES_OK], c->n[i][m][RES_EDEADLK],
			       c->n[i][m][RES_ETIMEDOUT], c->n[i][m][RES_EBUSY],
			       c->n[i][m][RES_OTHER]);
}

static int ignore_record(void *ctx, void *data, size_t size)
{
	(void)ctx, (void)data, (void)size;
	return 0;
}

/* Discarded records occupy the ring until a consumer passes them. */
static void consume_for(struct ring_buffer *rb, int seconds)
{
	time_t end = time(NULL) + seconds;

	while (time(NULL) < end) {
		ring_buffer__consume(rb);
		usleep(1000);
	}
}

static unsigned long run_workers(struct stress_bpf *skel, const int *cpus, int nr, int seconds)
{
	struct ring_buffer *rb =
		ring_buffer__new(bpf_map__fd(skel->maps.ringbuf), ignore_record, NULL, NULL);
	struct worker *w = calloc(2 * (unsigned int)nr, sizeof(*w));
	unsigned long runs = 0;

	for (int i = 0; i < 2 * nr; i++) {
		w[i].cpu = cpus[i % nr];
		w[i].prog_fd = bpf_program__fd(skel->progs.task);
		pthread_create(&w[i].thread, NULL, work, &w[i]);
	}
	consume_for(rb, seconds);
	stop = 1;
	for (int i = 0; i < 2 * nr; i++) {
		pthread_join(w[i].thread, NULL);
		runs += w[i].runs;
	}
	ring_buffer__free(rb);
	free(w);
	return runs;
}

int main(int argc, char **argv)
{
	int seconds = argc > 1 ? atoi(argv[1]) : 10;
	int cpus[CPU_SETSIZE], nr = usable_cpus(cpus);
	struct stress_bpf *skel = stress_bpf__open_and_load();
	unsigned long runs;
	int ok;

	if (!skel || seconds <= 0 || !nr) {
		printf("Bail out! cannot load stress.bpf.o (%s) or bad number of seconds\n",
		       strerror(errno));
		return 1;
	}
	ok = !attach_ticks(skel, cpus, nr);
	attach_tracepoint(skel->progs.on_switch);
	attach_tracepoint(skel->progs.on_contention);
	attach_tracepoint(skel->progs.on_ipi);
	runs = run_workers(skel, cpus, nr, seconds);
	print_counts(&skel->bss->counts);
	ok = ok && runs && skel->bss->counts.n[CTX_TICK][MAP_HASH][RES_OK];
	printf("%sok 1 - nested map updates for %d s, %lu rounds\n", ok ? "" : "not ", seconds,
	       runs);
	stress_bpf__destroy(skel);
	return !ok;
}
