// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include <errno.h>
#include <bpf/btf.h>

#include "names/arenalocks.h"
#include "names/arenamap.h"
#include "unit.h"

#define BEGIN 0x3000

static int number, byte;

static int struct_of(struct btf *btf, const char *name, int size, const char *field, int type)
{
	int id = btf__add_struct(btf, name, size);

	assert_true(id > 0);
	assert_int_equal(btf__add_field(btf, field, type, 0, 0), 0);
	return id;
}

/* typedef struct { union { int val; struct { u8 locked; u8 pending; }; }; } arena_spinlock_t; */
static int queued_type(struct btf *btf)
{
	int parts = btf__add_struct(btf, NULL, 2), both, whole;

	btf__add_field(btf, "locked", byte, 0, 0);
	btf__add_field(btf, "pending", byte, 8, 0);
	both = btf__add_union(btf, NULL, 4);
	btf__add_field(btf, "val", number, 0, 0);
	btf__add_field(btf, NULL, parts, 0, 0);
	whole = struct_of(btf, NULL, 4, NULL, both);
	return btf__add_typedef(btf, "arena_spinlock_t", whole);
}

static void lock_define(struct btf *btf, int type)
{
	int ptr = btf__add_ptr(btf, type), proto = btf__add_func_proto(btf, number);

	btf__add_func_param(btf, "lock", ptr);
	assert_true(btf__add_func(btf, "rqspin_arena_lock", BTF_FUNC_STATIC, proto) > 0);
}

static struct btf *types_begin(void)
{
	struct btf *btf = btf__new_empty();

	number = btf__add_int(btf, "int", 4, BTF_INT_SIGNED);
	byte = btf__add_int(btf, "unsigned char", 1, 0);
	return btf;
}

/* A section with one variable. */
static int section_of(struct btf *btf, int type, __u32 size)
{
	int var = btf__add_var(btf, "v", BTF_VAR_GLOBAL_ALLOCATED, type);
	int section = btf__add_datasec(btf, ".addr_space.1", size + 8);

	assert_int_equal(btf__add_datasec_var_info(btf, var, 8, size), 0);
	return section;
}

static struct arena_locks locks_of(struct btf *btf, int section)
{
	struct arena_locks locks = { .usual = ARENA_QUEUED };

	arenalocks_learn(&locks, btf);
	assert_int_equal(arenalocks_add(&locks, btf, section, BEGIN), 0);
	btf__free(btf);
	return locks;
}

static void lock_is(const struct arena_lock *lock, const char *path, __u64 off, __u32 size,
		    enum arena_layout layout)
{
	assert_string_equal(lock->path, path);
	assert_int_equal(lock->off, off);
	assert_int_equal(lock->size, size);
	assert_int_equal(lock->layout, layout);
}

static void locks_are_found_in_arrays_and_fields(void **state)
{
	struct btf *btf = types_begin();
	int plain = struct_of(btf, "my_lock", 4, "word", number);
	int queued = queued_type(btf), cell;
	struct arena_locks locks;

	(void)state;
	cell = btf__add_struct(btf, "cell", 12);
	btf__add_field(btf, "value", number, 0, 0);
	btf__add_field(btf, "mine", plain, 32, 0);
	btf__add_field(btf, "queue", queued, 64, 0);
	locks = locks_of(btf, section_of(btf, btf__add_array(btf, number, cell, 2), 24));
	assert_int_equal(locks.nr, 4);
	lock_is(&locks.all[0], "v[0].mine", BEGIN + 8 + 4, 4, ARENA_PLAIN);
	lock_is(&locks.all[1], "v[0].queue", BEGIN + 8 + 8, 4, ARENA_QUEUED);
	lock_is(&locks.all[3], "v[1].queue", BEGIN + 8 + 20, 4, ARENA_QUEUED);
	arenalocks_free(&locks);
}

static void clocks_and_blocks_are_no_locks(void **state)
{
	const char *const names[] = { "clock", "block_t", "lock_stats", "arena", "" };

	(void)state;
	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		struct btf *btf = types_begin();
		int type = struct_of(btf, names[i], 4, "word", number);
		struct arena_locks locks = locks_of(btf, section_of(btf, type, 4));

		assert_int_equal(locks.nr, 0);
		arenalocks_free(&locks);
	}
}

/* Any type is a lock if RES_ARENA_DEFINE() names it, and words on the heap look like it. */
static void what_is_defined_is_a_lock(void **state)
{
	struct btf *btf = types_begin();
	int type = btf__add_typedef(btf, "turnstile", byte);
	struct arena_locks locks;

	(void)state;
	lock_define(btf, type);
	locks = locks_of(btf, section_of(btf, type, 1));
	assert_int_equal(locks.nr, 1);
	lock_is(&locks.all[0], "v", BEGIN + 8, 1, ARENA_PLAIN);
	assert_int_equal(locks.usual, ARENA_PLAIN);
	arenalocks_free(&locks);
}

static void an_integer_is_not_every_integer(void **state)
{
	struct btf *btf = types_begin();
	struct arena_locks locks;

	(void)state;
	lock_define(btf, number);
	locks = locks_of(btf, section_of(btf, number, 4));
	assert_int_equal(locks.nr, 0);
	assert_int_equal(locks.usual, ARENA_QUEUED);
	arenalocks_free(&locks);
}

static void what_finds_no_room_is_counted(void **state)
{
	struct btf *btf = types_begin();
	int type = struct_of(btf, "my_lock", 4, "word", number);
	int array = btf__add_array(btf, number, type, ARENALOCKS_MAX + 5);
	struct arena_locks locks = locks_of(btf, section_of(btf, array, 4 * (ARENALOCKS_MAX + 5)));

	(void)state;
	assert_int_equal(locks.nr, ARENALOCKS_MAX);
	assert_int_equal(locks.beyond, 5);
	arenalocks_free(&locks);
}

#define ARENA_SIZE 0x10000

/* Chooses among v[0], v[1] and v[10]. Returns how many are left, or -errno. */
static int lock_choose(const char *place, struct arena_lock *first)
{
	const struct arenamap map = { 7, "my_arena" };
	struct btf *btf = types_begin();
	int type = struct_of(btf, "my_lock", 4, "word", number);
	struct arena_locks locks;
	char why[320] = "";
	int err;

	locks = locks_of(btf, section_of(btf, btf__add_array(btf, number, type, 11), 44));
	err = arenamap_choose(&map, ARENA_SIZE, &place, 1, &locks, why, sizeof(why));
	if (!err)
		*first = locks.all[0];
	assert_int_equal(!err, !*why);
	err = err ?: (int)locks.nr;
	arenalocks_free(&locks);
	return err;
}

static void locks_are_chosen_by_path_or_place(void **state)
{
	struct arena_lock first;

	(void)state;
	assert_int_equal(lock_choose("v", &first), 11);
	assert_int_equal(lock_choose("v[1]", &first), 1);
	lock_is(&first, "v[1]", BEGIN + 12, 4, ARENA_PLAIN);
	assert_int_equal(lock_choose("0x300c", &first), 1);
	lock_is(&first, "v[1]", BEGIN + 12, 4, ARENA_PLAIN);
	assert_int_equal(lock_choose("my_arena+0x20", &first), 1);
	lock_is(&first, "+0x20", 0x20, 4, ARENA_QUEUED);
}

static void other_places_are_refused(void **state)
{
	struct arena_lock first;

	(void)state;
	assert_int_equal(lock_choose("w", &first), -ENOENT);
	assert_int_equal(lock_choose("v[", &first), -ENOENT);
	assert_int_equal(lock_choose("12x", &first), -ENOENT);
	assert_int_equal(lock_choose("0xfffd", &first), -ENOENT);
	assert_int_equal(lock_choose("0xfffc", &first), 1);
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test(locks_are_found_in_arrays_and_fields),
	cmocka_unit_test(clocks_and_blocks_are_no_locks),
	cmocka_unit_test(what_is_defined_is_a_lock),
	cmocka_unit_test(an_integer_is_not_every_integer),
	cmocka_unit_test(what_finds_no_room_is_counted),
	cmocka_unit_test(locks_are_chosen_by_path_or_place),
	cmocka_unit_test(other_places_are_refused),
};

UNIT_GROUP(arenalocks, tests)
