// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Failures of the locks inside hash maps and LPM tries, provoked without trampolines. */
#include <errno.h>
#include <string.h>
#include <unistd.h>
#include <bpf/bpf.h>
#include <bpf/libbpf.h>
#include "kernel/runner/test.h"
#include "kernel/runner/bpf.h"
#include "selftests/kernel/progs/map_locks.skel.h"

/* As in the BPF object. */
enum mode { MODE_OFF, MODE_REENTER_HASH, MODE_REENTER_TRIE, MODE_HOLD, MODE_CROSS };

static struct map_locks_bpf *map_locks_load(enum mode mode)
{
	struct map_locks_bpf *skel = map_locks_bpf__open_and_load();
	int err;

	if (!CHECK(skel, "load: %s", strerror(errno)))
		return NULL;
	skel->bss->mode = mode;
	skel->bss->target_tgid = getpid();
	err = map_locks_bpf__attach(skel);
	if (CHECK(!err, "attach to ipi_send_cpu: %s", strerror(-err)))
		return skel;
	map_locks_bpf__destroy(skel);
	return NULL;
}

static void check_outer(const struct map_locks_bpf *skel)
{
	CHECK(skel->bss->outer_ok > 0, "no insertion succeeded");
	CHECK_EQ(skel->bss->outer_failed, 0, "failed outer insertions");
	CHECK_EQ(skel->bss->nested_other, 0, "nested updates with another result");
	test_note("nested updates: %llu under the map's lock failed with -EDEADLK, %llu outside "
		  "it succeeded",
		  skel->bss->nested_edeadlk, skel->bss->nested_ok);
}

/* The map must work afterwards, from user space too. */
static void check_map_usable(const struct bpf_map *map)
{
	__u64 value = 0, key = 7;
	int err;

	if (bpf_map__type(map) == BPF_MAP_TYPE_LPM_TRIE)
		key = 32 | 7ULL << 32;
	err = bpf_map__update_elem(map, &key, bpf_map__key_size(map), &value, sizeof(value), 0);
	CHECK(!err, "update of %s afterwards: %s", bpf_map__name(map), strerror(-err));
	err = bpf_map__delete_elem(map, &key, bpf_map__key_size(map), 0);
	CHECK(!err, "delete from %s afterwards: %s", bpf_map__name(map), strerror(-err));
}

static void test_hash_reentry(void)
{
	struct map_locks_bpf *skel = map_locks_load(MODE_REENTER_HASH);
	int retval, err;

	if (!skel)
		return;
	err = prog_run(skel->progs.fill_side0, &retval);
	CHECK(!err, "run: %s", strerror(-err));
	CHECK(skel->bss->nested_edeadlk > 0, "no update of a locked bucket failed with -EDEADLK");
	check_outer(skel);
	check_map_usable(skel->maps.hash0);
	map_locks_bpf__destroy(skel);
}

static void test_trie_reentry(void)
{
	struct map_locks_bpf *skel = map_locks_load(MODE_REENTER_TRIE);
	int retval, err;

	if (!skel)
		return;
	err = prog_run(skel->progs.fill_trie, &retval);
	CHECK(!err, "run: %s", strerror(-err));
	CHECK(skel->bss->nested_edeadlk > 0, "no update of a locked trie failed with -EDEADLK");
	check_outer(skel);
	check_map_usable(skel->maps.trie);
	map_locks_bpf__destroy(skel);
}

/* One CPU holds a bucket's lock; a system call on another CPU must return. */
static int update_held_bucket(void *arg)
{
	struct map_locks_bpf *skel = arg;
	double deadline = now_ms() + 10e3, begin;
	__u64 value = 2;
	__u32 key;
	int err;

	while (!*(volatile __u32 *)&skel->bss->holding) {
		if (now_ms() > deadline)
			return CHECK(false, "no bucket was held within 10 s");
	}
	key = skel->bss->current_key[0];
	begin = now_ms();
	err = bpf_map_update_elem(bpf_map__fd(skel->maps.hash0), &key, &value, BPF_ANY);
	begin = now_ms() - begin;
	__atomic_store_n(&skel->bss->release, 1, __ATOMIC_RELEASE);
	if (err)
		CHECK(begin > 250, "failed after only %.0f ms", begin);
	test_note("update of a held bucket: %s after %.0f ms", strerror(-err), begin);
	return err;
}

/* Result of the update; 1 if its thread came only after the owner gave up. */
static int hold_once(void)
{
	struct map_locks_bpf *skel = map_locks_load(MODE_HOLD);
	struct role roles[2];
	int result;

	if (!skel)
		return -1;
	roles[0] = (struct role){ .prog = skel->progs.fill_side0, .cpu = 0 };
	roles[1] = (struct role){ .call = update_held_bucket, .arg = skel, .cpu = 1 };
	run_roles(roles, 2);
	result = roles[1].retval;
	if (!result && skel->bss->hold_gave_up)
		result = 1;
	check_outer(skel);
	check_map_usable(skel->maps.hash0);
	map_locks_bpf__destroy(skel);
	return result;
}

static void test_hash_timeout(void)
{
	int i, result = 1;

	for (i = 0; i < 5 && result == 1; i++)
		result = hold_once();
	CHECK_EQ(result, -ETIMEDOUT, "update of a held bucket");
}

/* Two CPUs each hold a bucket of one map and want the other's; returns the number of -EDEADLK. */
static int cross_once(void)
{
	struct map_locks_bpf *skel = map_locks_load(MODE_CROSS);
	struct role roles[2];
	int deadlocks, failures;

	if (!skel)
		return -1;
	roles[0] = (struct role){ .prog = skel->progs.fill_side0, .cpu = 0 };
	roles[1] = (struct role){ .prog = skel->progs.fill_side1, .cpu = 1 };
	run_roles(roles, 2);
	deadlocks = (int)skel->bss->nested_edeadlk;
	failures = deadlocks + (int)skel->bss->nested_etimedout;
	if (skel->bss->cross_missed) {
		test_note("the sides did not meet within a second");
	} else {
		CHECK_EQ(skel->bss->cross_done[0] + skel->bss->cross_done[1], 2, "sides that met");
		CHECK_EQ(failures + skel->bss->nested_ok, 2, "results of both sides");
		CHECK(failures, "a real ABBA deadlock, and nobody failed");
	}
	check_outer(skel);
	check_map_usable(skel->maps.hash0);
	check_map_usable(skel->maps.hash1);
	map_locks_bpf__destroy(skel);
	return deadlocks;
}

/* Try again if a side lost its CPU: for the whole limit (-ETIMEDOUT), or before they met. */
static void test_hash_abba(void)
{
	int i, deadlocks = 0;

	for (i = 0; i < 5 && !deadlocks; i++)
		deadlocks = cross_once();
	CHECK(deadlocks > 0, "no -EDEADLK in %d ABBA deadlocks", i);
}

static const struct test_case cases[] = {
	{ .name = "hash_reentry", .run = test_hash_reentry },
	{ .name = "trie_reentry", .run = test_trie_reentry },
	{ .name = "hash_timeout", .run = test_hash_timeout, .min_cpus = 2 },
	{ .name = "hash_abba", .run = test_hash_abba, .min_cpus = 2 },
	{},
};

TEST_SUITE(map_locks, cases);
