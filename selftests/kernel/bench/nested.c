// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * nested CASE...: operations on a map on top of operations on the same map, case
 * by case. A line before each case names it, a line of JSON after it has the
 * result. CPU 0 takes no part in the cases: it stays able to report a hang, after
 * which the process cannot end.
 */
#include <err.h>
#include <errno.h>
#include <pthread.h>
#include <sched.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include <bpf/bpf.h>
#include <linux/types.h>

#include "nested.h"
#include "pinned.h"
#include "selftests/kernel/bench/nested.skel.h"

#define MAX_CPUS 3
#define LIMIT_S	 10
/* Failures of locks; the unpatched kernel has none of these. */
#define FAILURES "/sys/kernel/tracing/events/rqspinlock/rqspinlock_failure"

static const struct nested_info {
	const char *name;
	const char *hooks[2];
	int cpus;
	__u32 enough;
} infos[NR_CASES] = {
	[CASE_HASH_SAME] = { "hash-same-bucket", { "on_ipi" }, 1, 8 },
	[CASE_HASH_OTHER] = { "hash-other-bucket", { "on_ipi" }, 1, 64 },
	[CASE_HASH_CROSS] = { "hash-two-maps", { "on_ipi" }, 2, 1 },
	[CASE_LRU] = { "lru-list", { "on_evict" }, 1, 8 },
	[CASE_LPM] = { "lpm-trie", { "on_ipi", "on_kmalloc" }, 1, 8 },
	[CASE_QUEUE] = { "queue", { "on_contention_end" }, 3, 8 },
	[CASE_STACK] = { "stack", { "on_contention_end" }, 3, 8 },
	[CASE_RINGBUF] = { "ringbuf-output", { "on_contention_end" }, 3, 8 },
	[CASE_RESERVE] = { "ringbuf-reserve", { "on_contention_end" }, 3, 8 },
	[CASE_FREELIST] = { "free-list", { "on_contention_end" }, 3, 8 },
};

struct updater {
	struct nested_bpf *skel;
	struct ring_buffer *consumer; /* set for the first updater only */
	pthread_t thread;
	int cpu;
};

static int ignore_record(void *ctx, void *data, size_t size)
{
	(void)ctx, (void)data, (void)size;
	return 0;
}

static struct nested_bpf *nested_load(const struct nested_info *info)
{
	struct nested_bpf *skel = nested_bpf__open();
	struct bpf_program *prog;

	if (!skel)
		err(2, "cannot open nested.bpf.o");
	for (int i = 0; i < 2 && info->hooks[i]; i++) {
		prog = bpf_object__find_program_by_name(skel->obj, info->hooks[i]);
		bpf_program__set_autoload(prog, true);
	}
	skel->rodata->sees_failures = !access(FAILURES, F_OK);
	bpf_program__set_autoload(skel->progs.on_failure, skel->rodata->sees_failures);
	skel->rodata->which = (__u32)(info - infos);
	skel->rodata->target_tgid = (__u32)getpid();
	if (nested_bpf__load(skel) || nested_bpf__attach(skel))
		err(2, "%s: cannot load or attach", info->name);
	skel->bss->enough = info->enough;
	return skel;
}

static void *updater_main(void *arg)
{
	struct updater *u = arg;

	pin_to(u->cpu);
	do {
		test_run(bpf_program__fd(u->skel->progs.outer), 1);
		if (u->consumer)
			ring_buffer__consume(u->consumer);
	} while (!*(volatile __u32 *)&u->skel->bss->stopped);
	return NULL;
}

static bool all_ended(struct updater *u, int nr)
{
	struct timespec until;

	clock_gettime(CLOCK_REALTIME, &until);
	until.tv_sec += LIMIT_S;
	for (int i = 0; i < nr; i++) {
		if (u[i].thread && pthread_timedjoin_np(u[i].thread, NULL, &until) == ETIMEDOUT)
			return false;
		u[i].thread = 0;
	}
	return true;
}

/* True if all updaters came back, even if only after they were told to stop. */
static bool run_armed(struct nested_bpf *skel, struct ring_buffer *rb, int cpus)
{
	struct updater u[MAX_CPUS];

	skel->bss->armed = 1;
	for (int i = 0; i < cpus; i++) {
		u[i] = (struct updater){ .skel = skel, .cpu = i + 1, .consumer = i ? NULL : rb };
		if (pthread_create(&u[i].thread, NULL, updater_main, &u[i]))
			errx(2, "no thread");
	}
	if (all_ended(u, cpus))
		return true;
	*(volatile __u32 *)&skel->bss->stopped = 1;
	return all_ended(u, cpus);
}

/* Does the map still work? CPU 1 deletes from it, or fills it, so CPU 1 comes first. */
static bool nested_usable(struct nested_bpf *skel, struct ring_buffer *rb)
{
	skel->bss->armed = 0;
	skel->bss->stopped = 0;
	for (int cpu = 1; cpu < 3; cpu++) {
		pin_to(cpu);
		ring_buffer__consume(rb);
		test_run(bpf_program__fd(skel->progs.outer), 1);
	}
	pin_to(0);
	return skel->bss->alone_ok && !skel->bss->alone_failed;
}

static void print_outcome(const struct nested_info *info, const struct nested_counts *n, bool ok)
{
	const char *what = n->other	? "other" :
			   n->edeadlk	? "-EDEADLK" :
			   n->etimedout ? "-ETIMEDOUT" :
			   n->ebusy	? "-EBUSY" :
			   n->enomem	? "-ENOMEM" :
			   n->eagain	? "-EAGAIN" :
			   n->e2big	? "-E2BIG" :
			   n->null	? "NULL" :
			   n->ok	? "ok" :
					  "not reached";

	printf("{\"case\": \"%s\", \"outcome\": \"%s\", \"usable\": %s, \"ok\": %llu, ", info->name,
	       what, ok ? "true" : "false", n->ok);
	printf("\"ENOMEM\": %llu, \"EAGAIN\": %llu, \"E2BIG\": %llu, ", n->enomem, n->eagain,
	       n->e2big);
	printf("\"EDEADLK\": %llu, \"EBUSY\": %llu, \"NULL\": %llu, \"ETIMEDOUT\": %llu, \"other\": %llu}\n",
	       n->edeadlk, n->ebusy, n->null, n->etimedout, n->other);
}

static void run_case(const struct nested_info *info)
{
	struct nested_bpf *skel = nested_load(info);
	struct ring_buffer *rb =
		ring_buffer__new(bpf_map__fd(skel->maps.ring), ignore_record, NULL, NULL);
	bool back;

	printf("{\"start\": \"%s\"}\n", info->name);
	back = run_armed(skel, rb, info->cpus);
	if (!back) {
		printf("{\"case\": \"%s\", \"outcome\": \"hang\"}\n", info->name);
		_exit(3);
	}
	back = nested_usable(skel, rb);
	print_outcome(info, &skel->bss->nested, back);
	ring_buffer__free(rb);
	nested_bpf__destroy(skel);
}

int main(int argc, char **argv)
{
	setvbuf(stdout, NULL, _IOLBF, 0);
	pin_to(0);
	for (int i = 1; i < argc; i++) {
		const struct nested_info *info = infos;

		while (info < infos + NR_CASES && strcmp(info->name, argv[i]))
			info++;
		if (info == infos + NR_CASES)
			errx(2, "no case %s", argv[i]);
		run_case(info);
	}
	return 0;
}
