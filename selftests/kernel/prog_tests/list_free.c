// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Does the kernel free the objects in a list or tree when the element, object or map that contains
 * it is freed? Under bpf_spin_lock it must. Under bpf_res_spin_lock the result must be that of
 * `rqspin doctor`, which derives it from BTF.
 */
#include <errno.h>
#include <string.h>
#include <bpf/bpf.h>
#include <bpf/libbpf.h>
#include "kernel/nestfree.h"
#include "kernel/runner/test.h"
#include "kernel/runner/bpf.h"
#include "../progs/list_free.h"
#include "selftests/kernel/progs/list_free.skel.h"

#define GIVE_UP_MS 30e3 /* maps are freed some time after their last user */

/* The place of the list and the tree, and an action that frees them before their map. */
struct way {
	enum list_free_way way;
	bool in_object;
	bool delete_first; /* before anything is added */
	void (*end)(struct list_free_bpf *lists);
	bool end_frees; /* @end frees at once, or after a grace period */
};

static const char *const slot_names[] = {
	[LIST_FREE_RES_LIST] = "owners of the object in a list under bpf_res_spin_lock",
	[LIST_FREE_RES_TREE] = "owners of the object in a tree under bpf_res_spin_lock",
	[LIST_FREE_PLAIN_LIST] = "owners of the object in a list under bpf_spin_lock",
	[LIST_FREE_PLAIN_TREE] = "owners of the object in a tree under bpf_spin_lock",
};

static int prog_result(const struct bpf_program *prog)
{
	int retval = -1, err = prog_run(prog, &retval);

	CHECK(!err, "%s: %s", bpf_program__name(prog), strerror(-err));
	return retval;
}

/* The number of owners of the object: its list or tree, and the slot itself. */
static int slot_owners(struct list_free_bpf *skel, int slot)
{
	skel->bss->slot = slot;
	return prog_result(skel->progs.owners);
}

/* A second skeleton to read the counts, which keeps the objects when the lists are gone. */
static struct list_free_bpf *reader_load(const struct list_free_bpf *of)
{
	struct list_free_bpf *skel = list_free_bpf__open();
	struct bpf_program *prog;
	struct bpf_map *map;

	if (!CHECK(skel, "open: %s", strerror(errno)))
		return NULL;
	bpf_object__for_each_program(prog, skel->obj)
		bpf_program__set_autoload(prog, prog == skel->progs.owners);
	bpf_object__for_each_map(map, skel->obj) if (map != skel->maps.kept)
		bpf_map__set_autocreate(map, map == skel->maps.bss);
	if (CHECK(!bpf_map__reuse_fd(skel->maps.kept, bpf_map__fd(of->maps.kept)) &&
			  !list_free_bpf__load(skel),
		  "load: %s", strerror(errno)))
		return skel;
	list_free_bpf__destroy(skel);
	return NULL;
}

static void lists_fill(struct list_free_bpf *lists, const struct way *w)
{
	const struct bpf_program *progs[] = {
		w->in_object ? lists->progs.resilient_stash : lists->progs.resilient_push,
		w->in_object ? lists->progs.plain_stash : lists->progs.plain_push,
	};

	lists->bss->way = w->way;
	lists->bss->delete_first = w->delete_first;
	for (int i = 0; i < 2; i++)
		CHECK_EQ(prog_result(progs[i]), 0, bpf_program__name(progs[i]));
	for (int slot = 0; slot < LIST_FREE_SLOTS; slot++)
		CHECK_EQ(slot_owners(lists, slot), 2, slot_names[slot]);
}

static void slot_await_freed(struct list_free_bpf *skel, int slot)
{
	double deadline = now_ms() + GIVE_UP_MS;
	int nr = slot_owners(skel, slot);

	while (nr != 1 && now_ms() < deadline)
		nr = slot_owners(skel, slot);
	CHECK_EQ(nr, 1, slot_names[slot]);
}

/* Wait for the objects under bpf_spin_lock: after that, the others would have been freed, too. */
static void slots_check(struct list_free_bpf *skel, enum nest_free said)
{
	slot_await_freed(skel, LIST_FREE_PLAIN_LIST);
	slot_await_freed(skel, LIST_FREE_PLAIN_TREE);
	for (int slot = LIST_FREE_RES_LIST; slot <= LIST_FREE_RES_TREE; slot++) {
		if (said == NEST_FREE_DONE)
			slot_await_freed(skel, slot);
		else
			CHECK_EQ(slot_owners(skel, slot), 2, slot_names[slot]);
	}
}

static int elements_insert(struct list_free_bpf *lists)
{
	const struct bpf_map *maps[] = { lists->maps.resilient_hash,   lists->maps.plain_hash,
					 lists->maps.resilient_alloc,  lists->maps.plain_alloc,
					 lists->maps.resilient_in_lru, lists->maps.plain_in_lru };
	char value[128] = {};
	__u32 key = 0;

	for (int i = 0; i < (int)(sizeof(maps) / sizeof(maps[0])); i++) {
		int err = bpf_map_update_elem(bpf_map__fd(maps[i]), &key, value, BPF_ANY);

		if (err)
			return err;
	}
	return 0;
}

static void way_run(const struct way *w)
{
	enum nest_free said = nest_free_here();
	struct list_free_bpf *lists, *reader;

	if (said == NEST_FREE_UNKNOWN) {
		test_skip("the kernel's BTF has no bpf_list_head_free()");
		return;
	}
	lists = list_free_bpf__open_and_load();
	if (!CHECK(lists, "load: %s", strerror(errno)))
		return;
	CHECK_EQ(elements_insert(lists), 0, "insert");
	lists_fill(lists, w);
	reader = reader_load(lists);
	if (reader && w->end)
		w->end(lists);
	if (reader && w->end_frees)
		slots_check(reader, said);
	list_free_bpf__destroy(lists);
	if (reader)
		slots_check(reader, said);
	list_free_bpf__destroy(reader);
}

static void elements_delete(const struct bpf_map *resilient, const struct bpf_map *plain)
{
	__u32 key = 0;

	CHECK_EQ(bpf_map_delete_elem(bpf_map__fd(resilient), &key), 0, "delete");
	CHECK_EQ(bpf_map_delete_elem(bpf_map__fd(plain), &key), 0, "delete");
}

static void hash_delete(struct list_free_bpf *lists)
{
	elements_delete(lists->maps.resilient_hash, lists->maps.plain_hash);
}

static void alloc_delete(struct list_free_bpf *lists)
{
	elements_delete(lists->maps.resilient_alloc, lists->maps.plain_alloc);
}

/* Insert other elements until the first one is evicted. */
static void lru_evict(struct list_free_bpf *lists)
{
	const struct bpf_map *maps[] = { lists->maps.resilient_in_lru, lists->maps.plain_in_lru };
	__u64 value = 0;
	__u32 key, first = 0;

	for (int i = 0; i < 2; i++) {
		int fd = bpf_map__fd(maps[i]);

		for (key = 1; key < 10000 && !bpf_map_lookup_elem(fd, &first, &value); key++)
			bpf_map_update_elem(fd, &key, &value, BPF_NOEXIST);
		CHECK_EQ(bpf_map_lookup_elem(fd, &first, &value), -ENOENT, "the first element");
	}
}

static void objects_drop(struct list_free_bpf *lists)
{
	CHECK_EQ(prog_result(lists->progs.resilient_drop), 0, "resilient_drop");
	CHECK_EQ(prog_result(lists->progs.plain_drop), 0, "plain_drop");
}

#define WAY_TEST(name, ...)                            \
	static void test_##name(void)                  \
	{                                              \
		way_run(&(struct way){ __VA_ARGS__ }); \
	}

/* clang-format off */
WAY_TEST(as_doctor_says, .way = LIST_FREE_ARRAY)
WAY_TEST(hash, .way = LIST_FREE_HASH)
WAY_TEST(hash_deleted, .way = LIST_FREE_HASH, .end = hash_delete)
/* A program may still have a pointer to an element that was deleted before. */
WAY_TEST(hash_deleted_before, .way = LIST_FREE_HASH, .delete_first = true)
WAY_TEST(alloc, .way = LIST_FREE_ALLOC)
WAY_TEST(alloc_deleted, .way = LIST_FREE_ALLOC, .end = alloc_delete)
WAY_TEST(in_kptr, .way = LIST_FREE_IN_ARRAY, .in_object = true)
WAY_TEST(in_kptr_dropped, .way = LIST_FREE_DROPPED, .in_object = true, .end = objects_drop,
	 .end_frees = true)
WAY_TEST(in_kptr_evicted, .way = LIST_FREE_IN_LRU, .in_object = true, .end = lru_evict)
WAY_TEST(in_local_storage, .way = LIST_FREE_IN_TASK, .in_object = true)
WAY_TEST(in_local_storage_deleted, .way = LIST_FREE_IN_TASK, .in_object = true,
	 .end = objects_drop, .end_frees = true)
/* clang-format on */

static void test_alloc_deleted_before(void)
{
	if (!kernel_has_function("bpf_mem_alloc_set_dtor")) {
		test_skip("what is added to a deleted element leaks here, whatever its lock is");
		return;
	}
	way_run(&(struct way){ .way = LIST_FREE_ALLOC, .delete_first = true });
}

#define CASE(test) { .name = #test, .run = test_##test }

static const struct test_case cases[] = {
	CASE(as_doctor_says),
	CASE(hash),
	CASE(hash_deleted),
	CASE(hash_deleted_before),
	CASE(alloc),
	CASE(alloc_deleted),
	CASE(alloc_deleted_before),
	CASE(in_kptr),
	CASE(in_kptr_dropped),
	CASE(in_kptr_evicted),
	CASE(in_local_storage),
	CASE(in_local_storage_deleted),
	{},
};

TEST_SUITE(list_free, cases);
