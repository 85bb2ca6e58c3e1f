// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Modules that come and go under the eyes of a tracer. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "unit.h"

#include "base/clock.h"
#include "names/ksyms.h"

#define KERNEL	"ffffffff81000000 T _text\nffffffff82000000 D a_lock\nffffffff82000040 b other\n"
#define TORTURE "ffffffffc0000000 t torture_init\t[torture]\n"
#define LOCKS                                                \
	"ffffffffc0100000 t res_write_lock\t[locktorture]\n" \
	"ffffffffc0101000 b res_side\t[locktorture]\n"
#define TORTURE_LINE "torture 1 0 - Live 0xffffffffc0000000\n"
#define LOCKS_LINE   "locktorture 1 0 - Live 0xffffffffc0100000\n"

static char modules[32], symbols[32];

static void file_put(const char *path, const char *text)
{
	FILE *f = fopen(path, "w");

	assert_non_null(f);
	fputs(text, f);
	assert_int_equal(fclose(f), 0);
}

static void system_has(const char *module_lines, const char *symbol_lines)
{
	file_put(symbols, symbol_lines);
	file_put(modules, module_lines);
}

static bool is_named(struct ksyms *ks, __u64 addr, const char *name)
{
	const char *found;
	bool data;
	__u64 off;

	found = ksyms_find(ks, addr, &off, &data);
	return found && !strcmp(found, name);
}

/* A miss makes it look for new modules, but not at every one of a burst. */
static bool soon_named(struct ksyms *ks, __u64 addr, const char *name)
{
	__u64 end = now_ns() + 500000000ULL; /* below the second of the regular look */

	while (now_ns() < end)
		if (is_named(ks, addr, name))
			return true;
	return false;
}

static void a_module_of_this_moment_has_names(void **state)
{
	struct ksyms *ks;

	(void)state;
	system_has("", KERNEL);
	ks = ksyms_of(modules, symbols);
	assert_true(is_named(ks, 0xffffffff82000008, "a_lock"));
	system_has(TORTURE_LINE, KERNEL TORTURE);
	/* Nothing was missed so far: known at the first question. */
	assert_true(is_named(ks, 0xffffffffc0000010, "torture_init"));
	system_has(LOCKS_LINE TORTURE_LINE, KERNEL TORTURE LOCKS);
	assert_true(soon_named(ks, 0xffffffffc0101010, "res_side"));
	assert_true(is_named(ks, 0xffffffff82000008, "a_lock"));
	ksyms_close(ks);
}

static void modules_that_left_one_by_one_keep_their_names(void **state)
{
	struct ksyms *ks;

	(void)state;
	system_has(LOCKS_LINE TORTURE_LINE, KERNEL TORTURE LOCKS);
	ks = ksyms_of(modules, symbols);
	system_has(TORTURE_LINE, KERNEL TORTURE);
	assert_false(is_named(ks, 0xffffffffc0300000, ""));
	system_has("", KERNEL);
	assert_false(soon_named(ks, 0xffffffffc0300000, ""));
	assert_true(is_named(ks, 0xffffffffc0100010, "res_write_lock"));
	assert_true(is_named(ks, 0xffffffffc0101010, "res_side"));
	assert_true(is_named(ks, 0xffffffffc0000010, "torture_init"));
	ksyms_close(ks);
}

static int make_file(char *path)
{
	int fd;

	strcpy(path, "/tmp/rqspin-test.XXXXXX");
	fd = mkstemp(path);
	return fd < 0 ? -1 : close(fd);
}

static int make_files(void **state)
{
	(void)state;
	return make_file(modules) | make_file(symbols);
}

static int remove_files(void **state)
{
	(void)state;
	return unlink(modules) | unlink(symbols);
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test_setup_teardown(a_module_of_this_moment_has_names, make_files,
					remove_files),
	cmocka_unit_test_setup_teardown(modules_that_left_one_by_one_keep_their_names, make_files,
					remove_files),
};

UNIT_GROUP(ksyms, tests)
