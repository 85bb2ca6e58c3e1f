// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Make the locks of local storage and of arenas fail COUNT times, and print what the operations
 * returned. usage: storage_failures task|cgrp|sk|arena COUNT, behind-PLACE COUNT (also behind-inode
 * and behind-arena_free): behind an owner on another CPU that does not release. Exit code 3: this
 * kernel's lock is plain there, it sets no breakpoints, or its BPF LSM is not active.
 */
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <pthread.h>
#include <sched.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/mount.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <unistd.h>
#include <bpf/bpf.h>
#include <bpf/libbpf.h>

#include "kernel/maplocks.h"
#include "../../kernel/bench/pinned.h"
#include "../../kernel/progs/storage_failures.h"
#include "failures.h"
#include "selftests/kernel/progs/storage_failures.skel.h"

#define FREED_MS   20000 /* limit for the kernel's worker that frees a page */
#define SECURITYFS "/sys/kernel/security"

static struct storage_failures_bpf *skel;
static struct times times;

/* What has the storage, as user space names it: a descriptor. */
static int this_task(void)
{
	return syscall(SYS_pidfd_open, getpid(), 0);
}

static int this_file(void)
{
	return memfd_create("storage", MFD_CLOEXEC);
}

static int this_socket(void)
{
	return socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0);
}

/* The path of this process below the root of the unified hierarchy, without the first slash. */
static void own_cgroup(char *path, size_t size)
{
	FILE *f = fopen("/proc/self/cgroup", "re");
	char line[4096];

	snprintf(path, size, ".");
	while (f && fgets(line, sizeof(line), f))
		if (sscanf(line, "0::/%4095[^\n]", path) == 1)
			break;
	if (f)
		fclose(f);
}

/* By a mount that no path leads to: the hierarchy is not mounted everywhere. */
static int this_cgroup(void)
{
	int fs = fsopen("cgroup2", 0), root = -1;
	char path[4096];

	own_cgroup(path, sizeof(path));
	if (fs >= 0 && !fsconfig(fs, FSCONFIG_CMD_CREATE, NULL, NULL, 0))
		root = fsmount(fs, 0, 0);
	return root < 0 ? -1 : openat(root, path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
}

/* pointer: function of the map type that is called under the lock; opened: on opening the owner. */
struct storage {
	const char *name, *pointer, *below, *nested[2], *opened;
	int (*owner)(void);
};

static const struct storage storages[] = {
	{ "task", "task_storage_ptr", "below_task", { "on_task" }, NULL, this_task },
	{ "cgrp", "cgroup_storage_ptr", "below_cgrp", { "on_cgrp" }, NULL, this_cgroup },
	{ "inode", "inode_storage_ptr", NULL, {}, "want_inode", this_file },
	{ "sk", "bpf_sk_storage_ptr", "below_sk", { "on_sk", "on_sk_bell" }, NULL, this_socket },
};

static void lock_check(enum maplock lock)
{
	struct maplocks locks;

	maplocks_here(&locks);
	if (!(maplocks_resilient(&locks) & 1U << lock))
		place_skip("this kernel's lock is plain: to nest would hang");
}

/* Without it the program of inodes would be attached, but never run. */
static void lsm_check(void)
{
	char names[512] = "";
	FILE *f = fopen(SECURITYFS "/lsm", "re");

	if (!f && !mount("none", SECURITYFS, "securityfs", 0, NULL))
		f = fopen(SECURITYFS "/lsm", "re");
	if (f && !fgets(names, sizeof(names), f))
		errno_die(SECURITYFS "/lsm");
	if (f)
		fclose(f);
	if (!strstr(names, "bpf"))
		place_skip("BPF LSM is not active: boot with bpf in the lsm= list");
}

static struct bpf_program *prog_named(const char *name)
{
	return bpf_object__find_program_by_name(skel->obj, name);
}

/* Not every kernel has the maps of the other places. */
static bool map_belongs(const struct bpf_map *map, const char *place)
{
	const char *name = bpf_map__name(map);

	return bpf_map__is_internal(map) || !strncmp(name, place, strlen(place)) ||
	       (!strcmp(place, "sk") && !strcmp(name, "bell"));
}

static void place_load(const char *place, const char *const *progs, int nr)
{
	struct bpf_map *map;

	bpf_object__for_each_map(map, skel->obj)
		bpf_map__set_autocreate(map, map_belongs(map, place));
	for (int i = 0; i < nr; i++)
		if (progs[i])
			bpf_program__set_autoload(prog_named(progs[i]), true);
	if (storage_failures_bpf__load(skel))
		errno_die("load");
	skel->bss->tid = syscall(SYS_gettid);
}

static struct bpf_link *prog_attach(const char *name)
{
	struct bpf_link *link = name ? bpf_program__attach(prog_named(name)) : NULL;

	if (name && !link)
		errno_die(name);
	return link;
}

/* A program that takes neither a packet nor a context. */
static void prog_run_once(const char *name)
{
	LIBBPF_OPTS(bpf_test_run_opts, opts);

	if (bpf_prog_test_run_opts(bpf_program__fd(prog_named(name)), &opts))
		errno_die(name);
}

static void storage_nest(const struct storage *s, __u64 count)
{
	const char *progs[] = { s->below, s->nested[0], s->nested[1] };
	struct bpf_link *links[3];

	place_load(s->name, progs, 3);
	for (int i = 0; i < 3; i++)
		links[i] = prog_attach(progs[i]);
	for (__u64 i = 0; i < count; i++)
		prog_run_once(s->below);
	for (int i = 0; i < 3; i++)
		bpf_link__destroy(links[i]);
}

static void count_result(int err)
{
	struct storage_failures_bpf__bss *b = skel->bss;

	b->nested_ok += !err;
	b->etimedout += err == -ETIMEDOUT;
	b->other += err && err != -ETIMEDOUT;
	if (err && err != -ETIMEDOUT)
		b->other_err = err;
}

struct owner {
	pthread_t thread;
	int map, fd; /* of the storage */
};

/* The other thread would wait for it for ever. */
static void holding_check(void)
{
	if (skel->bss->holding)
		return;
	fprintf(stderr, "storage_failures: the owner did not take the lock\n");
	exit(EXIT_FAILURE);
}

static void *storage_own(void *arg)
{
	struct owner *o = arg;

	pin_to(OTHER_CPU);
	skel->bss->tid = syscall(SYS_gettid);
	skel->bss->armed = 1;
	if (bpf_map_delete_elem(o->map, &o->fd))
		skel->bss->outer_failed++;
	skel->bss->armed = 0;
	holding_check();
	return NULL;
}

static void *arena_own(void *arg)
{
	struct bpf_link *link;

	(void)arg;
	pin_to(OTHER_CPU);
	link = word_watch(skel->bss->nr_pages, 8, skel->progs.arena_stay);
	prog_run_once("below_arena");
	bpf_link__destroy(link);
	holding_check();
	return NULL;
}

static void owner_start(struct owner *o, void *(*own)(void *))
{
	volatile __u32 *holding = &skel->bss->holding;

	skel->bss->holding = skel->bss->release = 0;
	errno = pthread_create(&o->thread, NULL, own, o);
	if (errno)
		errno_die("pthread_create");
	while (!*holding)
		;
}

static void owner_end(struct owner *o)
{
	__atomic_store_n(&skel->bss->release, 1, __ATOMIC_RELEASE);
	pthread_join(o->thread, NULL);
}

/* A program wants the lock when the file is opened. */
static void owner_open(const struct owner *o)
{
	char path[64];
	double start;
	int fd;

	snprintf(path, sizeof(path), "/proc/self/fd/%d", o->fd);
	skel->bss->opener = syscall(SYS_gettid);
	start = now_ms();
	fd = open(path, O_RDONLY | O_CLOEXEC);
	times_count(&times, start);
	skel->bss->opener = 0;
	if (fd < 0)
		errno_die(path);
	close(fd);
}

static void behind_once(const struct storage *s, struct owner *o)
{
	double start;
	__u64 value = 1;

	if (bpf_map_update_elem(o->map, &o->fd, &value, BPF_ANY))
		errno_die("the first element");
	owner_start(o, storage_own);
	start = now_ms();
	count_result(bpf_map_update_elem(o->map, &o->fd, &value, BPF_ANY));
	times_count(&times, start);
	start = now_ms();
	count_result(bpf_map_delete_elem(o->map, &o->fd));
	times_count(&times, start);
	if (s->opened)
		owner_open(o);
	owner_end(o);
}

static void storage_behind(const struct storage *s, __u64 count)
{
	const char *progs[] = { "storage_stay", s->opened };
	struct owner o = { .fd = s->owner() };
	struct bpf_link *links[2];

	if (o.fd < 0)
		errno_die(s->name);
	if (bpf_program__set_attach_target(skel->progs.storage_stay, 0, s->pointer))
		errno_die(s->pointer);
	place_load(s->name, progs, 2);
	o.map = bpf_object__find_map_fd_by_name(skel->obj, s->name);
	for (int i = 0; i < 2; i++)
		links[i] = prog_attach(progs[i]);
	for (__u64 i = 0; i < count; i++)
		behind_once(s, &o);
	for (int i = 0; i < 2; i++)
		bpf_link__destroy(links[i]);
	close(o.fd);
}

static void arena_find(void)
{
	struct bpf_map_info info = {};
	__u32 len = sizeof(info);
	struct bpf_link *link;
	char buf[64];
	int fd;

	if (bpf_map_get_info_by_fd(bpf_map__fd(skel->maps.arena), &info, &len))
		errno_die("arena");
	skel->bss->arena_id = info.id;
	link = bpf_program__attach_iter(skel->progs.find_arena, NULL);
	fd = link ? bpf_iter_create(bpf_link__fd(link)) : -1;
	if (fd < 0 || read(fd, buf, sizeof(buf)) || !skel->bss->nr_pages)
		errno_die("find_arena");
	close(fd);
	bpf_link__destroy(link);
}

static void arena_load(void)
{
	static const char *const progs[] = { "find_arena", "on_arena",	  "on_unlocked",
					     "arena_stay", "below_arena", "want_page",
					     "keep_page",  "free_kept",	  "count_pages" };

	place_load("arena", progs, sizeof(progs) / sizeof(progs[0]));
	arena_find();
}

static void arena_nest(__u64 count)
{
	struct bpf_link *locked, *unlocked;

	arena_load();
	prog_run_once("below_arena"); /* it finds the word that needs no lock */
	skel->bss->wanted = count;
	locked = word_watch(skel->bss->nr_pages, 8, skel->progs.on_arena);
	unlocked = word_watch(skel->bss->unlocked_at, 8, skel->progs.on_unlocked);
	for (__u64 i = 0; i < count; i++)
		prog_run_once("below_arena");
	bpf_link__destroy(unlocked);
	bpf_link__destroy(locked);
}

static void arena_behind(__u64 count)
{
	arena_load();
	for (__u64 i = 0; i < count; i++) {
		struct owner o;
		double start;

		owner_start(&o, arena_own);
		start = now_ms();
		prog_run_once("want_page");
		times_count(&times, start);
		owner_end(&o);
	}
}

static __u64 pages_now(void)
{
	prog_run_once("count_pages");
	return skel->bss->pages;
}

/* How many pages there were while the lock was held, and in the end. */
static __u64 pages_held, pages_left;

static void free_behind_once(void)
{
	struct owner o;
	double start;

	prog_run_once("keep_page");
	owner_start(&o, arena_own);
	start = now_ms();
	prog_run_once("free_kept");
	times_count(&times, start);
	pages_held += pages_now();
	owner_end(&o);
	start = now_ms();
	while (pages_now() && now_ms() - start < FREED_MS)
		sched_yield();
	pages_left += pages_now();
}

static void arena_free_behind(__u64 count)
{
	arena_load();
	for (__u64 i = 0; i < count; i++)
		free_behind_once();
}

static void results_print(void)
{
	const struct storage_failures_bpf__bss *b = skel->bss;

	printf("{\"edeadlk\": %" PRIu64 ", \"etimedout\": %" PRIu64 ", \"refused\": %" PRIu64,
	       (uint64_t)b->edeadlk, (uint64_t)b->etimedout, (uint64_t)b->refused);
	printf(", \"other\": %" PRIu64 ", \"other_err\": %" PRId64 ", \"nested_ok\": %" PRIu64,
	       (uint64_t)b->other, (int64_t)b->other_err, (uint64_t)b->nested_ok);
	printf(", \"outer_failed\": %" PRIu64
	       ", \"missed\": %u, \"ms\": %.1f, \"longest_ms\": %.1f",
	       (uint64_t)b->outer_failed, b->missed, times.shortest, times.longest);
	printf(", \"pages_held\": %" PRIu64 ", \"pages_left\": %" PRIu64
	       ", \"unlocked_ok\": %" PRIu64 "}\n",
	       (uint64_t)pages_held, (uint64_t)pages_left, (uint64_t)b->unlocked_ok);
}

static bool arena_provoke(const char *place, __u64 count)
{
	static const struct {
		const char *name;
		void (*provoke)(__u64 count);
	} kinds[] = {
		{ "arena", arena_nest },
		{ "behind-arena", arena_behind },
		{ "behind-arena_free", arena_free_behind },
	};

	for (size_t i = 0; i < sizeof(kinds) / sizeof(kinds[0]); i++) {
		if (strcmp(place, kinds[i].name))
			continue;
		lock_check(MAPLOCK_ARENA);
		kinds[i].provoke(count);
		return true;
	}
	return false;
}

static bool storage_provoke(const char *place, __u64 count)
{
	bool behind = !strncmp(place, "behind-", strlen("behind-"));

	place += behind ? strlen("behind-") : 0;
	for (size_t i = 0; i < sizeof(storages) / sizeof(storages[0]); i++) {
		const struct storage *s = &storages[i];

		if (strcmp(place, s->name) || (!behind && !s->below))
			continue;
		lock_check(MAPLOCK_STORAGE);
		if (s->opened)
			lsm_check();
		(behind ? storage_behind : storage_nest)(s, count);
		return true;
	}
	return false;
}

int main(int argc, char **argv)
{
	__u64 count;

	if (argc != 3) {
		fprintf(stderr, "usage: %s PLACE COUNT\n", argv[0]);
		return 2;
	}
	count = count_arg(argv[2]);
	pin_to(CPU);
	skel = storage_failures_bpf__open();
	if (!skel)
		errno_die("open");
	if (!arena_provoke(argv[1], count) && !storage_provoke(argv[1], count)) {
		fprintf(stderr, "storage_failures: no place '%s'\n", argv[1]);
		return 2;
	}
	results_print();
	storage_failures_bpf__destroy(skel);
	return 0;
}
