// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include <linux/bpf.h>
#include <stdbool.h>
#include <string.h>
#include <bpf/btf.h>
#include <bpf/libbpf.h>

#include "errors/table.h"
#include "errors/words.h"
#include "kernel/maplocks.h"
#include "unit.h"

static bool bpftool_knows(const char *type)
{
	for (int i = 0; i < 256; i++) {
		const char *name = libbpf_bpf_map_type_str(i);

		if (name && !strcmp(name, type))
			return true;
	}
	return false;
}

static void types_are_those_of_bpftool(void **state)
{
	json_t *types = map_error_types(), *type;
	size_t i;

	(void)state;
	assert_true(json_array_size(types) > 20);
	json_array_foreach(types, i, type)
		/* A libbpf of before the type cannot name it. */
		if (strcmp(json_string_value(type), "arena"))
			assert_true(bpftool_knows(json_string_value(type)));
	json_decref(types);
}

static void check_errors(const char *text)
{
	json_t *errors = map_error_errors(text), *word;
	const char *close;
	char name[ERROR_WORD];
	size_t i;

	assert_true(*text);
	json_array_foreach(errors, i, word) {
		assert_true(error_name(json_string_value(word), name, &close));
		assert_string_equal(name, json_string_value(word));
		assert_true(map_error_names(text, name));
	}
	json_decref(errors);
}

static void errors_of_all_texts_exist(void **state)
{
	(void)state;
	for (size_t i = 0; i < nr_map_errors; i++)
		for (int kind = 0; kind < MAPLOCK_KINDS; kind++)
			check_errors(map_errors[i].returns[kind]);
}

static void lines_do_not_say_a_thing_twice(void **state)
{
	(void)state;
	for (size_t i = 0; i < nr_map_errors; i++)
		for (size_t j = 0; j < i; j++)
			assert_false(!strcmp(map_errors[i].types, map_errors[j].types) &&
				     !strcmp(map_errors[i].ops, map_errors[j].ops) &&
				     !strcmp(map_errors[i].cause, map_errors[j].cause));
}

static size_t words_count(const char *list)
{
	size_t nr = *list ? 1 : 0;

	for (; *list; list++)
		nr += *list == ',';
	return nr;
}

static bool fits_a_view(const struct map_advice *a, const struct map_error *e)
{
	static const enum maplock_view views[] = { MAPLOCK_UNSEEN, MAPLOCK_SEEN_AFTER,
						   MAPLOCK_SEEN };
	bool fits = false;

	for (size_t i = 0; i < 3; i++)
		fits |= map_advice_for(a, e, "`-E` hang", views[i]);
	return fits;
}

/* Every word of a line has its advice, and every advice a line. */
static void advice_is_there_and_used(void **state)
{
	size_t used[64] = { 0 };

	(void)state;
	assert_true(nr_map_advices <= 64);
	for (size_t i = 0; i < nr_map_errors; i++) {
		size_t found = 0;

		for (size_t j = 0; j < nr_map_advices; j++) {
			bool fits = fits_a_view(&map_advices[j], &map_errors[i]);

			found += fits;
			used[j] += fits;
		}
		assert_int_equal(found, words_count(map_errors[i].advice));
	}
	for (size_t j = 0; j < nr_map_advices; j++)
		assert_true(used[j] > 0);
}

static void advice_fits_what_happens(void **state)
{
	const struct map_error e = { .advice = "a,b,c" };
	const struct map_advice hang = { "a", "hang", "" }, error = { "b", "error", "" },
				always = { "c", "-", "" }, others = { "d", "-", "" };

	(void)state;
	assert_true(map_advice_for(&hang, &e, "waits or hangs", MAPLOCK_UNSEEN));
	assert_false(map_advice_for(&hang, &e, "`-EBUSY`", MAPLOCK_UNSEEN));
	assert_true(map_advice_for(&error, &e, "`-EBUSY`", MAPLOCK_UNSEEN));
	assert_false(map_advice_for(&error, &e, "succeeds", MAPLOCK_UNSEEN));
	assert_true(map_advice_for(&always, &e, "succeeds", MAPLOCK_UNSEEN));
	assert_false(map_advice_for(&others, &e, "`-EBUSY`", MAPLOCK_UNSEEN));
}

static void errors_are_found_in_texts(void **state)
{
	json_t *errors =
		map_error_errors("`-EBUSY` or `NULL`; `count` of `BPF_F_LOCK`, -EINVAL `-");

	(void)state;
	assert_int_equal(json_array_size(errors), 2);
	assert_string_equal(json_string_value(json_array_get(errors, 0)), "EBUSY");
	assert_string_equal(json_string_value(json_array_get(errors, 1)), "NULL");
	json_decref(errors);
	assert_true(map_error_names("`NULL`", "NULL"));
	assert_false(map_error_names("`-EBUSYX`", "EBUSY"));
	assert_false(map_error_names("`count`", "COUNT"));
}

static void check_op(const char *typed, const char *want)
{
	char out[ERROR_WORD];
	const char *close;

	assert_true(error_op("hash", typed, out, &close));
	assert_string_equal(out, want);
	assert_null(close);
}

static void words_are_understood(void **state)
{
	char out[ERROR_WORD];
	const char *close;

	(void)state;
	check_op("update", "update");
	check_op("bpf_map_update_elem", "update");
	check_op("BPF_MAP_UPDATE_BATCH", "update_batch");
	check_op("lookup-and-delete", "lookup_and_delete");
	check_op("bpf_map_lookup_and_delete_elem", "lookup_and_delete");
	assert_true(error_type("BPF_MAP_TYPE_LPM_TRIE", out, &close));
	assert_string_equal(out, "lpm_trie");
	assert_false(error_type("lpmtrie", out, &close));
	assert_string_equal(close, "lpm_trie");
	assert_false(error_op("hash", "push", out, &close));
	assert_null(close);
	assert_false(error_op("hash", "dupdate", out, &close));
	assert_string_equal(close, "update");
	assert_false(error_type("", out, &close));
}

static void check_error(const char *typed, const char *want)
{
	char out[ERROR_WORD];
	const char *close;

	assert_int_equal(error_name(typed, out, &close), !!want);
	if (want)
		assert_string_equal(out, want);
}

static void errors_are_understood(void **state)
{
	(void)state;
	check_error("EBUSY", "EBUSY");
	check_error("-ebusy", "EBUSY");
	check_error("16", "EBUSY");
	check_error("-110", "ETIMEDOUT");
	check_error("EDEADLOCK", "EDEADLK");
	check_error("EWOULDBLOCK", "EAGAIN");
	check_error("null", "NULL");
	check_error("0", NULL);
	check_error("4096", NULL);
	check_error("16x", NULL);
	check_error("", NULL);
	check_error("-", NULL);
}

/* The lock's type as struct bucket has it: by itself, or in a union. */
static struct btf *kernel_types(const char *lock, bool in_union)
{
	struct btf *btf = btf__new_empty();
	int type;

	assert_non_null(btf);
	type = btf__add_int(btf, "int", 4, BTF_INT_SIGNED);
	type = btf__add_typedef(btf, lock, type);
	type = btf__add_volatile(btf, type);
	if (in_union) {
		int lock_type = type;

		type = btf__add_union(btf, "", 4);
		assert_int_equal(btf__add_field(btf, "raw_lock", lock_type, 0, 0), 0);
	}
	/* A driver's. */
	assert_true(btf__add_struct(btf, "bucket", 4) > 0);
	assert_int_equal(btf__add_field(btf, "fill", 1, 0, 0), 0);
	assert_true(btf__add_struct(btf, "bucket", 4) > 0);
	assert_int_equal(btf__add_field(btf, in_union ? "" : "raw_lock", type, 0, 0), 0);
	return btf;
}

static void check_bucket(struct btf *btf, enum maplock_kind want)
{
	struct maplocks locks;

	maplocks_read(btf, &locks);
	assert_int_equal(locks.kinds[MAPLOCK_BUCKET], want);
	assert_int_equal(locks.kinds[MAPLOCK_NONE], want);
	assert_int_equal(locks.kinds[MAPLOCK_LPM], MAPLOCK_UNKNOWN);
	btf__free(btf);
}

static void locks_are_told_by_their_type(void **state)
{
	struct btf *series = kernel_types("rqspinlock_t", false);

	(void)state;
	check_bucket(kernel_types("raw_spinlock_t", false), MAPLOCK_PLAIN);
	check_bucket(kernel_types("raw_spinlock_t", true), MAPLOCK_PLAIN);
	check_bucket(kernel_types("rqspinlock_t", false), MAPLOCK_LATER);
	check_bucket(kernel_types("rqspinlock_t", true), MAPLOCK_LATER);
	assert_true(btf__add_typedef(series, "btf_trace_rqspinlock_failure", 1) > 0);
	check_bucket(series, MAPLOCK_SERIES);
}

static void arenas_of_before_have_no_such_lock(void **state)
{
	struct btf *btf = kernel_types("raw_spinlock_t", false);
	struct maplocks locks;

	(void)state;
	assert_true(btf__add_struct(btf, "bpf_arena", 4) > 0);
	assert_int_equal(btf__add_field(btf, "lock", 1, 0, 0), 0);
	maplocks_read(btf, &locks);
	assert_int_equal(locks.kinds[MAPLOCK_ARENA], MAPLOCK_PLAIN);
	btf__free(btf);
}

static void without_types_nothing_is_known(void **state)
{
	struct maplocks locks;

	(void)state;
	maplocks_read(NULL, &locks);
	for (int lock = 0; lock < MAPLOCK_NR; lock++)
		assert_int_equal(locks.kinds[lock], MAPLOCK_UNKNOWN);
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test(types_are_those_of_bpftool),
	cmocka_unit_test(errors_of_all_texts_exist),
	cmocka_unit_test(lines_do_not_say_a_thing_twice),
	cmocka_unit_test(advice_is_there_and_used),
	cmocka_unit_test(advice_fits_what_happens),
	cmocka_unit_test(errors_are_found_in_texts),
	cmocka_unit_test(words_are_understood),
	cmocka_unit_test(errors_are_understood),
	cmocka_unit_test(locks_are_told_by_their_type),
	cmocka_unit_test(arenas_of_before_have_no_such_lock),
	cmocka_unit_test(without_types_nothing_is_known),
};

UNIT_GROUP(errors, tests)
