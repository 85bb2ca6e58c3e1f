// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * An element is deleted or replaced while another thread holds the lock of its list or tree, so the
 * nodes cannot be freed. They must never be found under another key, or in the new element. The
 * elements of an array stay, and so does the list.
 */
#include <errno.h>
#include <string.h>
#include <bpf/bpf.h>
#include <bpf/libbpf.h>
#include "kernel/runner/test.h"
#include "kernel/runner/bpf.h"
#include "kernel/runner/locks.h"
#include "selftests/kernel/progs/list_reuse.skel.h"

#define OLD_KEY	   1
#define NEW_KEY	   2
#define NEW_NUMBER 7
#define HOLD_NS	   4000000000ULL /* longer than every time limit of the lock */

/* One test's map and programs. */
struct reuse {
	struct list_reuse_bpf *skel;
	const struct bpf_map *map;
	const struct bpf_program *fill, *hold, *drain;
	bool replace;
	int err; /* of the update of an array */
};

static int key_put(const struct reuse *r, __u32 key, __u64 flags)
{
	char value[64] = {};

	return bpf_map_update_elem(bpf_map__fd(r->map), &key, value, flags);
}

static int key_insert(const struct reuse *r, __u32 key)
{
	return key_put(r, key, BPF_NOEXIST);
}

static int reuse_run(const struct reuse *r, const struct bpf_program *prog, __u32 key)
{
	int retval = 0, err;

	r->skel->bss->key = key;
	err = prog_run(prog, &retval);
	CHECK(!err, "%s: %s", bpf_program__name(prog), strerror(-err));
	return retval;
}

static void remove_key(const struct reuse *r, __u32 key)
{
	int err = bpf_map_delete_elem(bpf_map__fd(r->map), &key);

	CHECK(!err, "delete: %s", strerror(-err));
}

static void owner_await(const struct reuse *r)
{
	double deadline = now_ms() + 10e3;

	while (!*(volatile __u32 *)&r->skel->bss->holding && now_ms() < deadline)
		;
	CHECK_EQ(r->skel->bss->holding, 1, "the owner has started");
}

static void owner_stop(const struct reuse *r)
{
	__atomic_store_n(&r->skel->bss->release, 1, __ATOMIC_RELEASE);
}

/* Runs while the other thread holds the lock of the old key's list. */
static int key_change(void *arg)
{
	const struct reuse *r = arg;
	int err;

	owner_await(r);
	/* Twice: the second replacement may reuse the element that the first has freed. */
	for (int i = 0; r->replace && i < 2; i++) {
		err = key_put(r, OLD_KEY, BPF_EXIST);
		CHECK(!err, "replace: %s", strerror(-err));
	}
	if (!r->replace)
		remove_key(r, OLD_KEY);
	err = key_insert(r, NEW_KEY);
	CHECK(!err, "insert: %s", strerror(-err));
	owner_stop(r);
	return 0;
}

/* The last field of a value. */
static __u64 *value_number(const struct reuse *r, char *value)
{
	return (__u64 *)(value + bpf_map__value_size(r->map) - sizeof(__u64));
}

static int array_put(const struct reuse *r, __u64 number)
{
	char value[64] __attribute__((aligned(8))) = {};
	__u32 key = OLD_KEY;

	*value_number(r, value) = number;
	return bpf_map_update_elem(bpf_map__fd(r->map), &key, value, BPF_EXIST);
}

static __u64 array_number(const struct reuse *r)
{
	char value[64] __attribute__((aligned(8))) = {};
	__u32 key = OLD_KEY;

	CHECK_EQ(bpf_map_lookup_elem(bpf_map__fd(r->map), &key, value), 0, "lookup");
	return *value_number(r, value);
}

static int array_change(void *arg)
{
	struct reuse *r = arg;

	owner_await(r);
	r->err = array_put(r, NEW_NUMBER);
	owner_stop(r);
	return 0;
}

/* All elements of the map must be usable again, and none may contain a node. */
static void check_all_usable(const struct reuse *r)
{
	__u32 key;
	int err;

	remove_key(r, NEW_KEY);
	if (r->replace)
		remove_key(r, OLD_KEY);
	for (key = 10; key < 10 + bpf_map__max_entries(r->map); key++) {
		err = key_insert(r, key);
		CHECK(!err, "insert %u: %s", key, strerror(-err));
		CHECK_EQ(reuse_run(r, r->drain, key), 0, "nodes of a new key");
	}
	check_locks_free(r->skel->obj);
}

static struct list_reuse_bpf *list_reuse_load(void)
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

static void change_while_held(struct reuse *r, int (*change)(void *arg))
{
	struct role roles[2] = {
		{ .call = change, .arg = r, .cpu = 0 },
		{ .prog = r->hold, .cpu = 1 },
	};

	CHECK_EQ(reuse_run(r, r->fill, OLD_KEY), 0, "a node for the old key");
	run_roles(roles, 2);
	CHECK(!roles[1].err, "hold: %s", strerror(-roles[1].err));
	/* On some kernels the change waits without limit for the owner, until that gives up. */
	CHECK(roles[1].retval == 0 || roles[1].retval == 2, "the owner got %d", roles[1].retval);
}

static void check_nodes(struct reuse *r)
{
	int nodes = reuse_run(r, r->drain, NEW_KEY);
	int old = r->replace ? reuse_run(r, r->drain, OLD_KEY) : 0;

	if ((nodes || old) && kernel_shares_hole("list-reuse"))
		return;
	CHECK_EQ(nodes, 0, "nodes of the old key under the new one");
	CHECK_EQ(old, 0, "nodes of the old element in the one that replaced it");
	check_all_usable(r);
}

static void of_list(struct reuse *r)
{
	r->map = r->skel->bss->use_allocated ? r->skel->maps.allocated : r->skel->maps.preallocated;
	r->fill = r->skel->progs.fill;
	r->hold = r->skel->progs.hold;
	r->drain = r->skel->progs.drain;
}

static void of_tree(struct reuse *r)
{
	r->map = r->skel->maps.trees;
	r->fill = r->skel->progs.fill_tree;
	r->hold = r->skel->progs.hold_tree;
	r->drain = r->skel->progs.drain_tree;
}

static void test_reuse(bool allocated, bool replace, void (*of)(struct reuse *r))
{
	struct reuse r = { .skel = list_reuse_load(), .replace = replace };

	if (!r.skel)
		return;
	r.skel->bss->use_allocated = allocated;
	of(&r);
	CHECK_EQ(key_insert(&r, OLD_KEY), 0, "insert");
	change_while_held(&r, key_change);
	check_nodes(&r);
	list_reuse_bpf__destroy(r.skel);
}

static void check_array_locked(const struct reuse *r)
{
	CHECK_EQ(r->err, 0, "update while the list is locked");
	CHECK_EQ(array_number(r), NEW_NUMBER, "the value after that");
	CHECK_EQ(reuse_run(r, r->drain, OLD_KEY), 1, "nodes after that");
	check_locks_free(r->skel->obj);
}

static bool reuse_array(struct reuse *r)
{
	*r = (struct reuse){ .skel = list_reuse_load() };
	if (!r->skel)
		return false;
	r->skel->bss->use_array = true;
	of_list(r);
	r->map = r->skel->maps.lists;
	return true;
}

static void test_array_locked(void)
{
	struct reuse r;

	if (!reuse_array(&r))
		return;
	change_while_held(&r, array_change);
	check_array_locked(&r);
	list_reuse_bpf__destroy(r.skel);
}

/* 7.x leaves the list of an element that is updated in any case. */
static void test_array_free(void)
{
	struct reuse r;
	int nodes;

	if (!reuse_array(&r))
		return;
	CHECK_EQ(reuse_run(&r, r.fill, OLD_KEY), 0, "a node for the old key");
	CHECK_EQ(array_put(&r, NEW_NUMBER), 0, "update while the list is free");
	CHECK_EQ(array_number(&r), NEW_NUMBER, "the value after that");
	nodes = reuse_run(&r, r.drain, OLD_KEY);
	if (nodes != 1 || !kernel_shares_hole("list-reuse"))
		CHECK_EQ(nodes, 0, "nodes after that");
	list_reuse_bpf__destroy(r.skel);
}

static void test_preallocated(void)
{
	test_reuse(false, false, of_list);
}

static void test_allocated(void)
{
	test_reuse(true, false, of_list);
}

static void test_replaced_preallocated(void)
{
	test_reuse(false, true, of_list);
}

static void test_replaced_allocated(void)
{
	test_reuse(true, true, of_list);
}

static void test_tree(void)
{
	test_reuse(false, false, of_tree);
}

static void test_replaced_tree(void)
{
	test_reuse(false, true, of_tree);
}

static const struct test_case cases[] = {
	{ .name = "preallocated", .run = test_preallocated, .min_cpus = 2 },
	{ .name = "allocated", .run = test_allocated, .min_cpus = 2 },
	{ .name = "replaced_preallocated", .run = test_replaced_preallocated, .min_cpus = 2 },
	{ .name = "replaced_allocated", .run = test_replaced_allocated, .min_cpus = 2 },
	{ .name = "tree", .run = test_tree, .min_cpus = 2 },
	{ .name = "replaced_tree", .run = test_replaced_tree, .min_cpus = 2 },
	{ .name = "array_locked", .run = test_array_locked, .min_cpus = 2 },
	{ .name = "array_free", .run = test_array_free },
	{},
};

TEST_SUITE(list_reuse, cases);
