// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Make locks inside maps fail COUNT times, and print how many operations reported
 * that. usage: map_failures PLACE|behind-PLACE|abba|timeout COUNT; the maps stay
 * until standard input ends. behind: an owner on another CPU does not release. Exit code 3: this
 * kernel has no hardware breakpoints or hides the symbols of its variables.
 */
#include <errno.h>
#include <inttypes.h>
#include <linux/hw_breakpoint.h>
#include <linux/perf_event.h>
#include <pthread.h>
#include <sched.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>
#include <bpf/bpf.h>
#include <bpf/libbpf.h>

#include "../../kernel/bench/pinned.h"
#include "../../kernel/progs/map_failures.h"
#include "selftests/kernel/progs/map_failures.skel.h"

#define UNSUPPORTED 3
#define TRIES_EACH  1000 /* limit of operations "below" for each wanted failure */
#define CPU	    0
#define OTHER_CPU   1

struct target {
	const char *name, *map, *prog;
};

static const struct target places[NR_PLACES] = {
	[AT_HASH] = { "hash", "hash", "on_hash" },
	[AT_HASH_CPU] = { "percpu_hash", "hash_cpu", "on_hash_cpu" },
	[AT_LRU_BUCKET] = { "lru_bucket", "lru_one", "on_lru_bucket" },
	[AT_LRU_LIST] = { "lru_list", "lru", "on_lru_list" },
	[AT_LRU_DELETE] = { "lru_delete", "lru", "on_lru_delete" },
	[AT_LRU_CPU] = { "lru_cpu", "lru_cpu", "on_lru_cpu" },
	[AT_LPM] = { "lpm", "trie", "on_lpm" },
	[AT_OUTPUT] = { "ringbuf_output", "ringbuf", "on_output" },
	[AT_RESERVE] = { "ringbuf_reserve", "ringbuf", "on_reserve" },
	[AT_QUEUE] = { "queue", "queue", "on_queue" },
	[AT_STACK] = { "stack", "stack", "on_stack" },
	[AT_FREE_LIST] = { "free_list", "free_hash", NULL },
	[AT_OTHER_HASH] = { "other_hash", "other_hash", NULL },
};

static struct map_failures_bpf *skel;

static void errno_die(const char *what)
{
	fprintf(stderr, "map_failures: %s: %s\n", what, strerror(errno));
	exit(EXIT_FAILURE);
}

static void prog_run_once(const struct bpf_program *prog)
{
	test_run(bpf_program__fd(prog), 1);
}

/* The program runs whenever this thread writes the word. */
static struct bpf_link *place_watch(const struct place_addr *at, const struct bpf_program *prog)
{
	struct perf_event_attr attr = {
		.type = PERF_TYPE_BREAKPOINT,
		.size = sizeof(attr),
		.bp_type = HW_BREAKPOINT_W,
		.bp_addr = at->word,
		.bp_len = at->word_len,
		.sample_period = 1,
		.exclude_user = 1,
	};
	int fd = syscall(SYS_perf_event_open, &attr, 0, -1, -1, PERF_FLAG_FD_CLOEXEC);
	struct bpf_link *link;

	if (fd < 0) {
		fprintf(stderr, "map_failures: no breakpoint: %s\n", strerror(errno));
		exit(UNSUPPORTED);
	}
	link = bpf_program__attach_perf_event(prog, fd);
	if (!link)
		errno_die("attach");
	return link;
}

static __u32 map_id(const char *name)
{
	int fd = bpf_object__find_map_fd_by_name(skel->obj, name);
	struct bpf_map_info info = {};
	__u32 len = sizeof(info);

	if (bpf_map_get_info_by_fd(fd, &info, &len))
		errno_die(name);
	return info.id;
}

static __u32 prog_id(const char *name)
{
	struct bpf_prog_info info = {};
	__u32 len = sizeof(info);
	int fd = bpf_program__fd(bpf_object__find_program_by_name(skel->obj, name));

	if (bpf_prog_get_info_by_fd(fd, &info, &len))
		errno_die(name);
	return info.id;
}

static void find_places(void)
{
	struct bpf_link *link;
	char buf[64];
	int fd;

	skel->bss->cpu = CPU;
	skel->bss->other_cpu = OTHER_CPU;
	for (int i = 0; i < NR_PLACES; i++)
		skel->bss->places[i].map_id = map_id(places[i].map);
	link = bpf_program__attach_iter(skel->progs.find_places, NULL);
	fd = link ? bpf_iter_create(bpf_link__fd(link)) : -1;
	if (fd < 0 || read(fd, buf, sizeof(buf)))
		errno_die("find_places");
	close(fd);
	bpf_link__destroy(link);
}

static void failures_load(void)
{
	skel = map_failures_bpf__open_and_load();
	if (!skel && errno == ESRCH) {
		fprintf(stderr, "map_failures: no __per_cpu_offset without CONFIG_KALLSYMS_ALL\n");
		exit(UNSUPPORTED);
	}
	if (!skel)
		errno_die("load");
	find_places();
}

static bool failures_enough(__u64 count)
{
	const struct map_failures_bpf__bss *b = skel->bss;

	return b->edeadlk + b->etimedout + b->refused + b->other >= count;
}

/* The lock is held by this CPU: each nested operation fails at once. */
static void failures_nest(enum place at, __u64 count)
{
	const char *name = places[at].prog;
	struct bpf_link *link;

	skel->bss->place = at;
	skel->bss->wanted = 0;
	prog_run_once(skel->progs.below); /* the first insertion takes another path */
	link = place_watch(&skel->bss->places[at],
			   bpf_object__find_program_by_name(skel->obj, name));
	skel->bss->wanted = count;
	for (__u64 i = 0; i < count * TRIES_EACH; i++) {
		prog_run_once(skel->progs.below);
		if (failures_enough(count))
			break;
	}
	bpf_link__destroy(link);
}

struct side {
	pthread_t thread;
	pthread_barrier_t *start;
	int cpu;
	enum place at;
	const struct bpf_program *below, *nested;
};

static void *be_side(void *arg)
{
	const struct side *s = arg;
	struct bpf_link *link;

	pin_to(s->cpu);
	prog_run_once(s->below); /* the element is there: from now on it is replaced */
	link = place_watch(&skel->bss->places[s->at], s->nested);
	pthread_barrier_wait(s->start);
	prog_run_once(s->below);
	bpf_link__destroy(link);
	return NULL;
}

static void run_sides(struct side *sides, int nr)
{
	pthread_barrier_t start;

	pthread_barrier_init(&start, NULL, nr);
	for (int i = 0; i < nr; i++) {
		sides[i].start = &start;
		errno = pthread_create(&sides[i].thread, NULL, be_side, &sides[i]);
		if (errno)
			errno_die("pthread_create");
	}
	for (int i = 0; i < nr; i++)
		pthread_join(sides[i].thread, NULL);
	pthread_barrier_destroy(&start);
}

/* Two CPUs each hold the bucket that the other wants. Repeats if a side loses its CPU. */
static void failures_cross(enum place at, __u64 count)
{
	(void)at;
	skel->bss->place = AT_HASH;
	for (__u64 i = 0; i < count * 5 && skel->bss->edeadlk < count; i++) {
		struct side sides[] = {
			{ .cpu = CPU,
			  .at = AT_HASH,
			  .below = skel->progs.below,
			  .nested = skel->progs.cross_0 },
			{ .cpu = OTHER_CPU,
			  .at = AT_OTHER_HASH,
			  .below = skel->progs.below_other,
			  .nested = skel->progs.cross_1 },
		};

		skel->bss->arrived = skel->bss->crossed[0] = skel->bss->crossed[1] = 0;
		run_sides(sides, 2);
	}
}

static void *owner_stay(void *arg)
{
	struct bpf_link *link;

	(void)arg;
	pin_to(OTHER_CPU);
	link = place_watch(&skel->bss->places[skel->bss->place], skel->progs.on_stay);
	/* Not every insertion uses the common list of an LRU map. */
	for (int i = 0; i < LRU_ELEMS && !skel->bss->holding; i++)
		prog_run_once(skel->progs.below);
	bpf_link__destroy(link);
	if (!skel->bss->holding) {
		fprintf(stderr, "map_failures: the owner did not take the lock\n");
		exit(EXIT_FAILURE);
	}
	return NULL;
}

static pthread_t start_owner(void)
{
	volatile __u32 *holding = &skel->bss->holding;
	pthread_t owner;

	skel->bss->holding = skel->bss->release = 0;
	errno = pthread_create(&owner, NULL, owner_stay, NULL);
	if (errno)
		errno_die("pthread_create");
	while (!*holding)
		;
	return owner;
}

static void push_on_locked(void)
{
	pthread_t owner = start_owner();
	__u64 value = 1;
	int err;

	err = bpf_map_update_elem(bpf_map__fd(skel->maps.queue), NULL, &value, BPF_EXIST);
	__atomic_store_n(&skel->bss->release, 1, __ATOMIC_RELEASE);
	pthread_join(owner, NULL);
	skel->bss->refused += err == -EBUSY;
	if (!err || err == -EBUSY)
		return;
	skel->bss->other++;
	skel->bss->other_err = err;
}

/* An owner that does not release, and a system call that wants the lock. */
static void wait_long(enum place at, __u64 count)
{
	(void)at;
	skel->bss->place = AT_QUEUE;
	for (__u64 i = 0; i < count * 5 && skel->bss->refused < count; i++)
		push_on_locked();
}

static double now_ms(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return t.tv_sec * 1e3 + t.tv_nsec / 1e6;
}

static double shortest_ms, longest_ms;

/* The same by a program. Only the shortest time is the lock's: longer ones have other causes. */
static void wait_behind(enum place at, __u64 count)
{
	skel->bss->place = at;
	skel->bss->wanted = count;
	prog_run_once(skel->progs.below); /* the first insertion takes another path */
	prog_run_once(skel->progs.use_own_free);
	for (__u64 i = 0; i < count; i++) {
		pthread_t owner = start_owner();
		double ms = now_ms();

		prog_run_once(skel->progs.behind);
		ms = now_ms() - ms;
		shortest_ms = i && shortest_ms < ms ? shortest_ms : ms;
		longest_ms = longest_ms > ms ? longest_ms : ms;
		__atomic_store_n(&skel->bss->release, 1, __ATOMIC_RELEASE);
		pthread_join(owner, NULL);
	}
}

struct kind {
	const char *name;
	enum place at;
	void (*provoke)(enum place at, __u64 count);
};

static struct kind find_kind(const char *name)
{
	if (!strcmp(name, "abba"))
		return (struct kind){ "abba", AT_HASH, failures_cross };
	if (!strcmp(name, "timeout"))
		return (struct kind){ "timeout", AT_QUEUE, wait_long };
	if (!strncmp(name, "behind-", strlen("behind-")))
		return (struct kind){ name, find_kind(name + strlen("behind-")).at, wait_behind };
	for (int i = 0; i < NR_PLACES; i++)
		if (!strcmp(name, places[i].name))
			return (struct kind){ name, i, places[i].prog ? failures_nest : NULL };
	fprintf(stderr, "map_failures: no place '%s'\n", name);
	exit(2);
}

static void print_lock(enum place at)
{
	printf("{\"map\": \"%s\", \"map_id\": %u, \"addr\": \"0x%llx\"}", places[at].map,
	       skel->bss->places[at].map_id, skel->bss->places[at].lock);
}

static void failures_print(const struct kind *k)
{
	const struct map_failures_bpf__bss *b = skel->bss;
	const char *prog = k->provoke == failures_nest ? places[k->at].prog : NULL;

	printf("{\"prog\": \"%s\", \"prog_id\": %u, \"cpu\": %d, \"lock\": ", prog ?: "",
	       prog ? prog_id(prog) : 0, CPU);
	print_lock(k->at);
	printf(", \"other_lock\": ");
	print_lock(AT_OTHER_HASH);
	printf(", \"edeadlk\": %" PRIu64 ", \"etimedout\": %" PRIu64 ", \"refused\": %" PRIu64,
	       (uint64_t)b->edeadlk, (uint64_t)b->etimedout, (uint64_t)b->refused);
	printf(", \"other_err\": %" PRId64, (int64_t)b->other_err);
	printf(", \"other\": %" PRIu64 ", \"nested_ok\": %" PRIu64 ", \"outer_failed\": %" PRIu64
	       ", \"missed\": %u, \"ms\": %.1f, \"longest_ms\": %.1f}\n",
	       (uint64_t)b->other, (uint64_t)b->nested_ok, (uint64_t)b->outer_failed, b->missed,
	       shortest_ms, longest_ms);
	fflush(stdout);
}

int main(int argc, char **argv)
{
	struct kind k;
	__u64 count;

	if (argc != 3) {
		fprintf(stderr, "usage: %s PLACE COUNT\n", argv[0]);
		return 2;
	}
	k = find_kind(argv[1]);
	if (!k.provoke) {
		fprintf(stderr, "map_failures: %s only with behind-\n", argv[1]);
		return 2;
	}
	count = count_arg(argv[2]);
	pin_to(CPU);
	failures_load();
	k.provoke(k.at, count);
	failures_print(&k);
	while (getchar() != EOF)
		;
	map_failures_bpf__destroy(skel);
	return 0;
}
