// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * An element is deleted while somebody holds the lock of its list, so what is in the list cannot
 * be freed. It must never be found under another key.
 */
#include <errno.h>
#include <string.h>
#include <bpf/bpf.h>
#include <bpf/libbpf.h>
#include "runner/runner.h"
#include "runner/bpf.h"
#include "runner/locks.h"
#include "selftests/progs/list_reuse.skel.h"

#define OLD_KEY 1
#define NEW_KEY 2
#define HOLD_NS 4000000000ULL /* beyond every time limit of the lock */

static int map_fd(const struct list_reuse_bpf *skel)
{
	return bpf_map__fd(skel->bss->use_allocated ? skel->maps.allocated :
						      skel->maps.preallocated);
}

static int insert(const struct list_reuse_bpf *skel, __u32 key)
{
	char value[64] = {};

	return bpf_map_update_elem(map_fd(skel), &key, value, BPF_NOEXIST);
}

static int run(struct list_reuse_bpf *skel, const struct bpf_program *prog, __u32 key)
{
	int retval = 0, err;

	skel->bss->key = key;
	err = prog_run(prog, &retval);
	CHECK(!err, "%s: %s", bpf_program__name(prog), strerror(-err));
	return retval;
}

/* The other thread holds the lock of the old key's list meanwhile. */
static int delete_and_insert(void *arg)
{
	struct list_reuse_bpf *skel = arg;
	double deadline = now_ms() + 10e3;
	__u32 key = OLD_KEY;
	int err;

	while (!*(volatile __u32 *)&skel->bss->holding && now_ms() < deadline)
		;
	CHECK_EQ(skel->bss->holding, 1, "the owner has started");
	err = bpf_map_delete_elem(map_fd(skel), &key);
	CHECK(!err, "delete: %s", strerror(-err));
	err = insert(skel, NEW_KEY);
	CHECK(!err, "insert: %s", strerror(-err));
	__atomic_store_n(&skel->bss->release, 1, __ATOMIC_RELEASE);
	return 0;
}

/* All of the map's elements can be used again, and none has a node. */
static void check_all_usable(struct list_reuse_bpf *skel)
{
	__u32 key = NEW_KEY;
	int err = bpf_map_delete_elem(map_fd(skel), &key);

	CHECK(!err, "delete: %s", strerror(-err));
	for (key = 10; key < 12; key++) {
		err = insert(skel, key);
		CHECK(!err, "insert %u: %s", key, strerror(-err));
		CHECK_EQ(run(skel, skel->progs.drain, key), 0, "nodes of a new key");
	}
	check_locks_free(skel->obj);
}

static struct list_reuse_bpf *load(void)
{
	struct list_reuse_bpf *skel = list_reuse_bpf__open_and_load();
	int retval;

	if (!CHECK(skel, "load: %s", strerror(errno)))
		return NULL;
	CHECK(!prog_run(skel->progs.measure, &retval) && skel->bss->loop_ns,
	      "a loop was not measured");
	skel->data->loops = HOLD_NS / (skel->bss->loop_ns ?: 1) + 1;
	return skel;
}

static void reuse(bool allocated)
{
	struct list_reuse_bpf *skel = load();
	struct role roles[2] = {};
	int nodes;

	if (!skel)
		return;
	skel->bss->use_allocated = allocated;
	CHECK_EQ(insert(skel, OLD_KEY), 0, "insert");
	CHECK_EQ(run(skel, skel->progs.fill, OLD_KEY), 0, "a node for the old key");
	roles[0] = (struct role){ .call = delete_and_insert, .arg = skel, .cpu = 0 };
	roles[1] = (struct role){ .prog = skel->progs.hold, .cpu = 1 };
	run_roles(roles, 2);
	CHECK(!roles[1].err, "hold: %s", strerror(-roles[1].err));
	/* Some kernels wait for the owner without limit, until it gives up. */
	CHECK(roles[1].retval == 0 || roles[1].retval == 2, "the owner got %d", roles[1].retval);
	nodes = run(skel, skel->progs.drain, NEW_KEY);
	if (!nodes || !kernel_shares_hole("list-reuse")) {
		CHECK_EQ(nodes, 0, "nodes of the old key under the new one");
		check_all_usable(skel);
	}
	list_reuse_bpf__destroy(skel);
}

static void test_preallocated(void)
{
	reuse(false);
}

static void test_allocated(void)
{
	reuse(true);
}

static const struct test_case cases[] = {
	{ .name = "preallocated", .run = test_preallocated, .min_cpus = 2 },
	{ .name = "allocated", .run = test_allocated, .min_cpus = 2 },
	{},
};

TEST_SUITE(list_reuse, cases);
