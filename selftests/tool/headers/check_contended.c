// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include <pthread.h>
#include <sched.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>
#include <bpf/bpf.h>
#include <bpf/libbpf.h>

#include "../fallback/drive.h"
#include "../fallback/tap.h"
#include "check_contended.h"

#define CALLS  50
#define REPEAT 2000

struct side {
	pthread_barrier_t *start;
	int prog_fd;
	int cpu;
	int first_error;
};

struct counts {
	__u64 runs;
	__u64 errors;
	__u64 protected_count;
};

static void *run_side(void *arg)
{
	struct side *side = arg;
	cpu_set_t set;

	CPU_ZERO(&set);
	CPU_SET(side->cpu, &set);
	if (sched_setaffinity(0, sizeof(set), &set))
		side->first_error = -1;
	pthread_barrier_wait(side->start);
	for (int i = 0; i < CALLS && !side->first_error; i++)
		side->first_error = run_packets(side->prog_fd, REPEAT);
	return NULL;
}

static int read_counts(const struct bpf_object *obj, struct counts *counts)
{
	struct bpf_map *map = bpf_object__find_map_by_name(obj, ".bss");
	__u32 zero = 0;

	/* libbpf prefixes the object's name, so look for the end of the map's. */
	if (!map)
		bpf_object__for_each_map(map, obj) if (strstr(bpf_map__name(map), ".bss")) break;
	if (!map || bpf_map__value_size(map) != sizeof(*counts))
		return -1;
	return bpf_map_lookup_elem(bpf_map__fd(map), &zero, counts);
}

void check_contended(const struct bpf_object *obj, const char *name)
{
	struct counts before, after;
	pthread_barrier_t start;
	struct side sides[2];
	pthread_t thread;
	char other[64];
	__u64 total = 2 * CALLS * REPEAT;

	snprintf(other, sizeof(other), "%.*sba", (int)strlen(name) - 2, name);
	if (sysconf(_SC_NPROCESSORS_ONLN) < 2) {
		tap_skip(name, "needs two CPUs");
		return;
	}
	pthread_barrier_init(&start, NULL, 2);
	for (int i = 0; i < 2; i++)
		sides[i] = (struct side){
			.start = &start,
			.cpu = i,
			.prog_fd = bpf_program__fd(
				bpf_object__find_program_by_name(obj, i ? other : name)),
		};
	if (!tap_result(!read_counts(obj, &before), "%s: counters found", name))
		return;
	if (!tap_result(!pthread_create(&thread, NULL, run_side, &sides[1]), "%s: second thread",
			name))
		return;
	run_side(&sides[0]);
	pthread_join(thread, NULL);
	pthread_barrier_destroy(&start);
	if (!tap_result(!read_counts(obj, &after), "%s: counters read", name))
		return;
	tap_result(after.runs - before.runs == total && after.errors == before.errors &&
			   after.protected_count - before.protected_count == total,
		   "%s and %s: %llu runs on two CPUs, none failed, none lost (%llu, %llu, %llu)",
		   name, other, total, after.runs - before.runs, after.errors - before.errors,
		   after.protected_count - before.protected_count);
}
