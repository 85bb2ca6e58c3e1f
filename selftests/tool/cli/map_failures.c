// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Make locks inside maps fail COUNT times, and print how many operations reported
 * that. usage: map_failures PLACE|KIND-PLACE|abba|timeout|stack_delete COUNT; the maps
 * stay until standard input ends. KIND: behind an owner on another CPU that does not release; by a
 * system call behind such an owner: lookup_batch, lookup_and_delete_batch. Exit code 3: this
 * kernel has no hardware breakpoints, hides the symbols of its variables, or would be corrupted.
 */
#include <errno.h>
#include <inttypes.h>
#include <pthread.h>
#include <sched.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <bpf/bpf.h>
#include <bpf/libbpf.h>

#include "kernel/maplocks.h"
#include "../../kernel/bench/pinned.h"
#include "../../kernel/progs/map_failures.h"
#include "failures.h"
#include "selftests/kernel/progs/map_failures.skel.h"

#define TRIES_EACH 1000 /* limit of operations "below" for each wanted failure */

/* below, behind: other programs than these take the lock, and want it. */
struct target {
	const char *name, *map, *prog, *below, *behind;
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
	[AT_DYNPTR] = { "ringbuf_dynptr", "ringbuf", "on_dynptr" },
	[AT_QUEUE] = { "queue", "queue", "on_queue" },
	[AT_STACK] = { "stack", "stack", "on_stack" },
	[AT_FREE_LIST] = { "free_list", "free_hash", NULL },
	[AT_STACKID] = { "stackid", "stacks", "on_stackid", "take_stack", "want_stack" },
	[AT_BATCH] = { "batch", "batch_hash", NULL },
	[AT_BATCH_LRU] = { "batch_lru", "batch_lru", NULL },
	[AT_REPLACE] = { "replace", "full_hash", "on_replace" },
	[AT_OTHER_HASH] = { "other_hash", "other_hash", NULL },
};

static struct map_failures_bpf *skel;

static void prog_run_once(const struct bpf_program *prog)
{
	LIBBPF_OPTS(bpf_test_run_opts, no_packet);

	if (bpf_program__type(prog) != BPF_PROG_TYPE_RAW_TRACEPOINT)
		test_run(bpf_program__fd(prog), 1);
	else if (bpf_prog_test_run_opts(bpf_program__fd(prog), &no_packet) || no_packet.retval)
		errno_die(bpf_program__name(prog));
}

static struct bpf_program *prog_named(const char *name, struct bpf_program *otherwise)
{
	return name ? bpf_object__find_program_by_name(skel->obj, name) : otherwise;
}

/* What is deleted here is in this CPU's list afterwards. */
static void stacks_delete(void)
{
	for (__u32 id = 0; id < STACKS; id++)
		if (bpf_map_delete_elem(bpf_map__fd(skel->maps.stacks), &id) && errno != ENOENT)
			errno_die("delete a stack");
}

/* Both free buckets into the list of this CPU. */
static void stacks_gather(void)
{
	prog_run_once(skel->progs.take_stack);
	prog_run_once(skel->progs.take_other_stack);
	stacks_delete();
}

static void run_below(enum place at)
{
	prog_run_once(prog_named(places[at].below, skel->progs.below));
	if (at == AT_STACKID)
		stacks_delete();
}

/* As the operations go on with from then on: the first insertion takes another path. */
static void place_prepare(enum place at)
{
	skel->bss->place = at;
	run_below(at);
	if (at == AT_FREE_LIST)
		prog_run_once(skel->progs.use_own_free);
	if (at == AT_BATCH || at == AT_BATCH_LRU)
		for (int i = 1; i < BATCH_ELEMS; i++)
			run_below(at);
	if (at == AT_STACKID)
		stacks_gather();
}

static struct bpf_link *place_watch(const struct place_addr *at, const struct bpf_program *prog)
{
	return word_watch(at->word, at->word_len, prog);
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
	if (!skel && errno == ESRCH)
		place_skip("no __per_cpu_offset without CONFIG_KALLSYMS_ALL");
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

	skel->bss->wanted = 0;
	place_prepare(at);
	link = place_watch(&skel->bss->places[at],
			   bpf_object__find_program_by_name(skel->obj, name));
	skel->bss->wanted = count;
	for (__u64 i = 0; i < count * TRIES_EACH; i++) {
		run_below(at);
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
	enum place at = skel->bss->place;
	struct bpf_program *below;
	struct bpf_link *link;

	(void)arg;
	below = at == AT_STACKID ? skel->progs.take_other_stack : skel->progs.below;
	pin_to(OTHER_CPU);
	link = place_watch(&skel->bss->places[at], skel->progs.on_stay);
	/* Not every insertion uses the common list of an LRU map, or the same bucket. */
	for (int i = 0; i < LRU_ELEMS && !skel->bss->holding; i++)
		prog_run_once(below);
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

static void release_owner(pthread_t owner)
{
	__atomic_store_n(&skel->bss->release, 1, __ATOMIC_RELEASE);
	pthread_join(owner, NULL);
}

static void push_on_locked(void)
{
	pthread_t owner = start_owner();
	__u64 value = 1;
	int err;

	err = bpf_map_update_elem(bpf_map__fd(skel->maps.queue), NULL, &value, BPF_EXIST);
	release_owner(owner);
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

static struct times times;

/* The same by a program. */
static void wait_behind(enum place at, __u64 count)
{
	skel->bss->wanted = count;
	for (__u64 i = 0; i < count; i++) {
		pthread_t owner;
		double start;

		place_prepare(at);
		owner = start_owner();
		start = now_ms();
		prog_run_once(prog_named(places[at].behind, skel->progs.behind));
		times_count(&times, start);
		release_owner(owner);
	}
}

static void count_result(int err)
{
	if (err == -ETIMEDOUT)
		skel->bss->etimedout++;
	else if (!err)
		skel->bss->nested_ok++;
	else
		skel->bss->other++;
	if (err && err != -ETIMEDOUT)
		skel->bss->other_err = err;
}

/* The bucket cannot go into the list that the owner has locked. */
static void delete_behind(enum place at, __u64 count)
{
	for (__u64 i = 0; i < count; i++) {
		pthread_t owner;
		double start;

		place_prepare(at);
		prog_run_once(skel->progs.take_stack);
		owner = start_owner();
		start = now_ms();
		stacks_delete();
		times_count(&times, start);
		skel->bss->refused++;
		release_owner(owner);
	}
}

/* What the batches got: until the locked bucket, and from there to the end. */
static __u32 batch_first, batch_rest, batch_next;

typedef int (*batch_fn)(int fd, void *in, void *out, void *keys, void *values, __u32 *count,
			const struct bpf_map_batch_opts *opts);

static void batch_behind(enum place at, batch_fn batch)
{
	int fd = bpf_object__find_map_fd_by_name(skel->obj, places[at].map);
	__u32 keys[BATCH_ELEMS];
	__u64 values[BATCH_ELEMS];
	pthread_t owner;
	__u32 end;
	double start;

	place_prepare(at);
	batch_first = batch_rest = BATCH_ELEMS;
	owner = start_owner();
	start = now_ms();
	count_result(batch(fd, NULL, &batch_next, keys, values, &batch_first, NULL));
	times_count(&times, start);
	release_owner(owner);
	if (batch(fd, &batch_next, &end, keys, values, &batch_rest, NULL) != -ENOENT)
		errno_die("the rest of the batch");
}

static void lookup_batch_behind(enum place at, __u64 count)
{
	for (__u64 i = 0; i < count; i++)
		batch_behind(at, bpf_map_lookup_batch);
}

static void delete_batch_behind(enum place at, __u64 count)
{
	for (__u64 i = 0; i < count; i++)
		batch_behind(at, bpf_map_lookup_and_delete_batch);
}

struct kind {
	const char *name;
	enum place at;
	void (*provoke)(enum place at, __u64 count);
};

static const struct kind behind_kinds[] = {
	{ .name = "behind-", .provoke = wait_behind },
	{ .name = "lookup_batch-", .provoke = lookup_batch_behind },
	{ .name = "lookup_and_delete_batch-", .provoke = delete_batch_behind },
};

static struct kind find_kind(const char *name)
{
	if (!strcmp(name, "abba"))
		return (struct kind){ "abba", AT_HASH, failures_cross };
	if (!strcmp(name, "timeout"))
		return (struct kind){ "timeout", AT_QUEUE, wait_long };
	if (!strcmp(name, "stack_delete"))
		return (struct kind){ "stack_delete", AT_STACKID, delete_behind };
	for (size_t i = 0; i < sizeof(behind_kinds) / sizeof(behind_kinds[0]); i++) {
		const struct kind *k = &behind_kinds[i];
		size_t len = strlen(k->name);

		if (!strncmp(name, k->name, len))
			return (struct kind){ name, find_kind(name + len).at, k->provoke };
	}
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
	printf(", \"batch_first\": %u, \"batch_rest\": %u, \"batch_next\": %u", batch_first,
	       batch_rest, batch_next);
	printf(", \"other\": %" PRIu64 ", \"nested_ok\": %" PRIu64 ", \"outer_failed\": %" PRIu64
	       ", \"missed\": %u, \"ms\": %.1f, \"longest_ms\": %.1f}\n",
	       (uint64_t)b->other, (uint64_t)b->nested_ok, (uint64_t)b->outer_failed, b->missed,
	       times.shortest, times.longest);
	fflush(stdout);
}

/* Without our series both replacements get the same element, and two chains have it. */
static void replace_or_skip(void)
{
	struct maplocks locks;

	maplocks_here(&locks);
	if (locks.kinds[MAPLOCK_BUCKET] != MAPLOCK_SERIES)
		place_skip("nested replacements would corrupt the map");
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
	if (k.at == AT_REPLACE)
		replace_or_skip();
	pin_to(CPU);
	failures_load();
	k.provoke(k.at, count);
	failures_print(&k);
	while (getchar() != EOF)
		;
	map_failures_bpf__destroy(skel);
	return 0;
}
