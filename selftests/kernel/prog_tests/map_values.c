// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Locks in map values, seen from user space: creation, update, look-up. */
#include <errno.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>
#include <bpf/bpf.h>
#include <bpf/btf.h>
#include <bpf/libbpf.h>
#include "kernel/runner/test.h"
#include "kernel/runner/bpf.h"
#include "kernel/runner/locks.h"
#include "selftests/kernel/progs/map_values.skel.h"

struct one_lock {
	__u32 lock;
	__u32 count;
};

struct lock_in_the_middle {
	__u64 before;
	__u32 lock;
	__u32 count;
};

static struct map_values_bpf *map_values_load(void)
{
	struct map_values_bpf *skel = map_values_bpf__open_and_load();

	CHECK(skel, "load: %s", strerror(errno));
	return skel;
}

/* A value of @res resilient and @plain plain locks, 4 bytes each, and a u32 at the end. */
static int add_value_type(struct btf *btf, int res, int plain, int *key_id)
{
	int i, res_id, plain_id, value_id;

	*key_id = btf__add_int(btf, "unsigned int", 4, 0);
	res_id = btf__add_struct(btf, "bpf_res_spin_lock", 4);
	btf__add_field(btf, "val", *key_id, 0, 0);
	plain_id = btf__add_struct(btf, "bpf_spin_lock", 4);
	btf__add_field(btf, "val", *key_id, 0, 0);
	value_id = btf__add_struct(btf, "value", 4 * (res + plain + 1));
	for (i = 0; i < res + plain; i++)
		btf__add_field(btf, i ? "b" : "a", i < res ? res_id : plain_id, 32 * i, 0);
	btf__add_field(btf, "count", *key_id, 32 * i, 0);
	return value_id;
}

/* Create a map with such a value: its descriptor or a negative errno. */
static int map_create(enum bpf_map_type type, int res, int plain, __u32 flags)
{
	struct btf *btf = btf__new_empty();
	LIBBPF_OPTS(bpf_map_create_opts, opts, .map_flags = flags);
	int key_id, value_id, fd;

	if (!CHECK(btf, "BTF: %s", strerror(errno)))
		return -ENOMEM;
	value_id = add_value_type(btf, res, plain, &key_id);
	fd = btf__load_into_kernel(btf);
	if (!fd) {
		opts.btf_fd = btf__fd(btf);
		opts.btf_key_type_id = key_id;
		opts.btf_value_type_id = value_id;
		fd = bpf_map_create(type, "value_test", 4, 4 * (res + plain + 1), 4, &opts);
	}
	btf__free(btf);
	return fd;
}

static bool can_create(enum bpf_map_type type, int res, int plain)
{
	int fd = map_create(type, res, plain, 0);

	if (fd >= 0)
		close(fd);
	return fd >= 0;
}

static bool can_map(int res)
{
	int fd = map_create(BPF_MAP_TYPE_ARRAY, res, 0, BPF_F_MMAPABLE);
	void *mem;

	if (fd < 0)
		return false;
	mem = mmap(NULL, 4096, PROT_READ, MAP_SHARED, fd, 0);
	if (mem != MAP_FAILED)
		munmap(mem, 4096);
	close(fd);
	return mem != MAP_FAILED;
}

static void test_types(void)
{
	CHECK(can_create(BPF_MAP_TYPE_ARRAY, 1, 0), "no lock in an array");
	CHECK(can_create(BPF_MAP_TYPE_HASH, 1, 0), "no lock in a hash");
	CHECK(can_create(BPF_MAP_TYPE_PERCPU_ARRAY, 0, 0), "no per-CPU array at all");
	CHECK(!can_create(BPF_MAP_TYPE_PERCPU_ARRAY, 1, 0), "a per-CPU lock accepted");
	CHECK(can_create(BPF_MAP_TYPE_LRU_HASH, 0, 0), "no LRU hash at all");
	CHECK(!can_create(BPF_MAP_TYPE_LRU_HASH, 1, 0), "a lock in an LRU hash accepted");
	CHECK(can_create(BPF_MAP_TYPE_ARRAY, 0, 1), "no plain lock in an array");
	CHECK(!can_create(BPF_MAP_TYPE_ARRAY, 1, 1), "both sorts of lock accepted");
}

static void test_not_in_user_memory(void)
{
	CHECK(can_map(0), "a map without a lock cannot be mapped");
	CHECK(!can_map(1), "user space can map a lock");
}

/* A write from user space must not change a lock in a value. */
static void test_update_spares_the_lock(void)
{
	struct one_lock value = { .lock = 0xdeadbeef, .count = 5 }, seen = { .lock = 1 };
	struct map_values_bpf *skel = map_values_load();
	__u32 key = 2;
	int fd, err;

	if (!skel)
		return;
	fd = bpf_map__fd(skel->maps.array);
	err = bpf_map_update_elem(fd, &key, &value, BPF_ANY);
	CHECK(!err, "update: %s", strerror(-err));
	check_locks_free(skel->obj);
	err = bpf_map_lookup_elem(fd, &key, &seen);
	CHECK(!err, "look-up: %s", strerror(-err));
	CHECK_EQ(seen.lock, 0, "lock word as user space sees it");
	CHECK_EQ(seen.count, 5, "data beside the lock");
	err = bpf_map_update_elem(fd, &key, &value, BPF_F_LOCK);
	CHECK_EQ(err, -EINVAL, "BPF_F_LOCK, which is for bpf_spin_lock");
	map_values_bpf__destroy(skel);
}

/* A new hash element starts with a free lock, even if user space passes other bytes. */
static void test_new_hash_element(void)
{
	struct lock_in_the_middle value = { 1, 0xdeadbeef, 2 }, seen = {};
	struct map_values_bpf *skel = map_values_load();
	int fd, err, retval = 0, i;
	__u32 key = 1;

	if (!skel)
		return;
	fd = bpf_map__fd(skel->maps.hash);
	for (i = 0; i < 2; i++) {
		err = bpf_map_update_elem(fd, &key, &value, BPF_ANY);
		CHECK(!err, "update: %s", strerror(-err));
		check_locks_free(skel->obj);
		err = prog_run(skel->progs.lock_hash_value, &retval);
		CHECK(!err && !retval, "run: %d, returned %d", err, retval);
	}
	err = bpf_map_lookup_elem(fd, &key, &seen);
	CHECK(!err, "look-up: %s", strerror(-err));
	CHECK_EQ(seen.before, 2, "data before the lock");
	CHECK_EQ(seen.count, 3, "data after the lock");
	check_locks_free(skel->obj);
	map_values_bpf__destroy(skel);
}

static const struct test_case cases[] = {
	{ .name = "types", .run = test_types },
	{ .name = "not_in_user_memory", .run = test_not_in_user_memory },
	{ .name = "update_spares_the_lock", .run = test_update_spares_the_lock },
	{ .name = "new_hash_element", .run = test_new_hash_element },
	{},
};

TEST_SUITE(map_values, cases);
