// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include <linux/bpf.h>
#include <string.h>
#include <bpf/btf.h>

#include "names/arenaname.h"
#include "unit.h"

#define START 0x7f0012340000ULL
#define PAGE  0x1000
#define SIZE  (16 * PAGE)

static const struct arena arena = { START, SIZE };

#define NUMBER(n)                                                      \
	{ .code = BPF_LD | BPF_IMM | BPF_DW, .imm = (int)(__u32)(n) }, \
	{                                                              \
		.imm = (int)((n) >> 32)                                \
	}

/* struct my_lock { int word; }; struct cell { int value; struct my_lock lock; } cells[2]; int x; */
static struct btf *types_make(void)
{
	struct btf *btf = btf__new_empty();
	int number = btf__add_int(btf, "int", 4, BTF_INT_SIGNED), lock, cell, cells, var, x;

	lock = btf__add_struct(btf, "my_lock", 4);
	btf__add_field(btf, "word", number, 0, 0);
	cell = btf__add_struct(btf, "cell", 8);
	btf__add_field(btf, "value", number, 0, 0);
	btf__add_field(btf, "lock", lock, 32, 0);
	cells = btf__add_array(btf, number, cell, 2);
	var = btf__add_var(btf, "cells", BTF_VAR_GLOBAL_ALLOCATED, cells);
	x = btf__add_var(btf, "x", BTF_VAR_GLOBAL_ALLOCATED, number);
	assert_true(btf__add_datasec(btf, ".addr_space.1", 20) > 0);
	assert_int_equal(btf__add_datasec_var_info(btf, var, 0, 16), 0);
	assert_int_equal(btf__add_datasec_var_info(btf, x, 16, 4), 0);
	return btf;
}

static const char *path_of(__u64 off, __u64 known)
{
	const struct bpf_insn insns[] = { NUMBER(5ULL), NUMBER(known), NUMBER(known) };
	struct btf *btf = types_make();
	struct arena_addrs addrs;
	static char path[64];

	arenaname_addrs_read(&addrs, insns, 6);
	assert_int_equal(addrs.nr, 1);
	arenaname_path(&arena, off, btf, &addrs, path, sizeof(path));
	btf__free(btf);
	return path;
}

static void variables_have_names_up_to_the_lock(void **state)
{
	(void)state;
	assert_string_equal(path_of(12, START + 16), "cells[1].lock");
	assert_string_equal(path_of(4, START), "cells[0].lock");
	assert_string_equal(path_of(16, START), "x");
	assert_string_equal(path_of(20, START), "");
	assert_string_equal(path_of(SIZE - PAGE + 12, START), "");
}

static void they_may_be_at_the_end(void **state)
{
	const __u64 end = SIZE - PAGE;

	(void)state;
	assert_string_equal(path_of(end + 12, START + end), "cells[1].lock");
	assert_string_equal(path_of(12, START + end), "");
}

static void without_an_address_none_is_told(void **state)
{
	(void)state;
	assert_string_equal(path_of(12, START + SIZE), "");
	assert_string_equal(path_of(12, 0x1234500000000ULL), "");
}

static void half_an_address_is_enough(void **state)
{
	__u64 off;

	(void)state;
	assert_true(arenaname_offset(&arena, START + 12, &off));
	assert_int_equal(off, 12);
	assert_true(arenaname_offset(&arena, (__u32)START + 12, &off));
	assert_int_equal(off, 12);
	assert_false(arenaname_offset(&arena, START + SIZE, &off));
	assert_false(arenaname_offset(&arena, START - 1, &off));
	assert_false(arenaname_offset(&arena, START + (1ULL << 32), &off));
	assert_false(arenaname_offset(&(struct arena){ 0, SIZE }, 12, &off));
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test(variables_have_names_up_to_the_lock),
	cmocka_unit_test(they_may_be_at_the_end),
	cmocka_unit_test(without_an_address_none_is_told),
	cmocka_unit_test(half_an_address_is_enough),
};

UNIT_GROUP(arenaname, tests)
