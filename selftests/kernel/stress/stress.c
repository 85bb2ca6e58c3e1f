// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * stress SECONDS: drive stress.bpf.o from two pinned threads per CPU and a timer
 * on every CPU, print the results of every map in every context. Then fill the
 * maps: no failure may have lost an element.
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
#include <bpf/btf.h>
#include <bpf/libbpf.h>

#include "capacity.h"
#include "stress.h"
#include "selftests/kernel/stress/stress.bpf.skel.h"

#define TICK_NS 100000
/* A batch is one RCU section; with programs nested eight deep a round may take 20 ms. */
#define BATCH 50

static volatile int stop;

struct worker {
	pthread_t thread;
	int cpu;
	int prog_fd;
	unsigned long runs;
};

static void *worker_run(void *arg)
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

/* The CPUs we may run on, as some possible CPUs may be offline. Returns their number. */
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

static void prog_attach(struct bpf_program *prog)
{
	if (bpf_program__autoload(prog) && !bpf_program__attach(prog))
		printf("# %s not attached: %s\n", bpf_program__name(prog), strerror(errno));
}

static unsigned long long all_ok(const struct stress_counts *c, int ctx)
{
	unsigned long long sum = 0;

	for (int m = 0; m < MAP_KINDS; m++)
		sum += c->n[ctx][m][RES_OK];
	return sum;
}

static void print_counts(const struct stress_counts *c)
{
	static const char *const ctx[] = { "task", "tick",  "switch", "contention",
					   "ipi",  "evict", "free",   "nmi" };
	static const char *const map[] = { "hash",    "lru",	 "lru_cpu", "lpm",
					   "ringbuf", "growing", "queue" };

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
		pthread_create(&w[i].thread, NULL, worker_run, &w[i]);
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

/*
 * Programs under the locks of LRU lists, and in NMIs, hang a kernel that has no
 * resilient locks there, and not all kernels with them keep every element. So
 * look for a field that only our kernel has.
 */
static int nests_everywhere(void)
{
	struct btf *btf = btf__load_vmlinux_btf();
	const struct btf_member *m;
	const struct btf_type *t;
	int id, found = 0;

	if (!btf)
		return 0;
	id = btf__find_by_name_kind(btf, "bpf_lru_list", BTF_KIND_STRUCT);
	t = id > 0 ? btf__type_by_id(btf, (__u32)id) : NULL;
	m = t ? btf_members(t) : NULL;
	for (int i = 0; t && i < btf_vlen(t); i++)
		found |= !strcmp(btf__name_by_offset(btf, m[i].name_off), "parked");
	btf__free(btf);
	return found;
}

static void autoload_nested(struct stress_bpf *skel)
{
	if (!nests_everywhere()) {
		printf("# not below LRU locks, not in NMIs: this kernel would not stand it\n");
		return;
	}
	bpf_program__set_autoload(skel->progs.on_evict, true);
	bpf_program__set_autoload(skel->progs.on_free, true);
	bpf_program__set_autoload(skel->progs.on_nmi, true);
}

/* With so few nodes the common LRU frees one at a time: see capacity.c. */
static struct stress_bpf *stress_load(void)
{
	struct stress_bpf *skel = stress_bpf__open();

	if (skel)
		autoload_nested(skel);
	if (!skel || bpf_map__set_max_entries(skel->maps.lru, 2 * libbpf_num_possible_cpus()) ||
	    stress_bpf__load(skel)) {
		stress_bpf__destroy(skel);
		return NULL;
	}
	return skel;
}

/* Waits up to ten seconds: each operation of a program may wait for a time limit. */
static int wait_for_rest(struct stress_bpf *skel)
{
	__atomic_store_n(&skel->bss->stopped, 1, __ATOMIC_SEQ_CST);
	for (int i = 0; i < 10000; i++) {
		if (!__atomic_load_n(&skel->bss->running, __ATOMIC_SEQ_CST))
			return 1;
		usleep(1000);
	}
	printf("# %u programs have not come to an end\n", skel->bss->running);
	return 0;
}

static int check_capacity(struct stress_bpf *skel, const int *cpus, int nr)
{
	int ok = wait_for_rest(skel);

	ok &= capacity_hash(skel->maps.hash, cpus, nr);
	ok &= capacity_hash(skel->maps.growing, cpus, nr);
	ok &= capacity_lru(skel->maps.lru, cpus, nr);
	ok &= capacity_lru_cpu(skel->maps.lru_cpu, cpus, nr);
	ok &= capacity_lpm(skel->maps.lpm);
	ok &= capacity_queue(skel->maps.queue);
	return ok;
}

/* Did updates run under the maps' own locks? Emulated machines have hardly any NMI. */
static int check_deep(const struct stress_counts *c)
{
	int ok = all_ok(c, CTX_EVICT) && all_ok(c, CTX_FREE);

	if (!nests_everywhere()) {
		printf("ok 3 - updates below LRU locks # SKIP this kernel would hang\n");
		return 1;
	}
	printf("%sok 3 - updates below LRU locks and while fields are freed\n", ok ? "" : "not ");
	printf("ok 4 - updates in NMIs%s\n", all_ok(c, CTX_NMI) ? "" : " # SKIP none came");
	return ok;
}

int main(int argc, char **argv)
{
	int seconds = argc > 1 ? atoi(argv[1]) : 10;
	int cpus[CPU_SETSIZE], nr = usable_cpus(cpus);
	struct stress_bpf *skel = stress_load();
	unsigned long runs;
	int ok, full, deep;

	if (!skel || seconds <= 0 || !nr) {
		printf("Bail out! cannot load stress.bpf.o (%s) or bad number of seconds\n",
		       strerror(errno));
		return 1;
	}
	ok = !attach_ticks(skel, cpus, nr);
	prog_attach(skel->progs.on_switch);
	prog_attach(skel->progs.on_contention);
	prog_attach(skel->progs.on_ipi);
	prog_attach(skel->progs.on_evict);
	prog_attach(skel->progs.on_free);
	prog_attach(skel->progs.on_nmi);
	runs = run_workers(skel, cpus, nr, seconds);
	print_counts(&skel->bss->counts);
	ok = ok && runs && skel->bss->counts.n[CTX_TICK][MAP_HASH][RES_OK];
	printf("%sok 1 - nested map updates for %d s, %lu rounds\n", ok ? "" : "not ", seconds,
	       runs);
	full = check_capacity(skel, cpus, nr);
	printf("%sok 2 - every map holds as much as ever\n", full ? "" : "not ");
	deep = check_deep(&skel->bss->counts);
	stress_bpf__destroy(skel);
	return !ok || !full || !deep;
}
