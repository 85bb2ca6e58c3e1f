// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include <string.h>

#include "base/utf8.h"
#include "unit.h"

/* "a" and characters of two, three and four bytes. */
static const char text[] = "a\xc3\xa9\xe2\x82\xac\xf0\x9f\x98\x80";

static void no_character_is_cut(void **state)
{
	static const size_t whole[] = { 0, 1, 1, 3, 3, 3, 6, 6, 6, 6, 10 };
	char buf[16];

	(void)state;
	for (size_t fits = 0; fits < sizeof(whole) / sizeof(whole[0]); fits++) {
		assert_ptr_equal(utf8_copy(buf, fits + 1, text), buf);
		assert_int_equal(strlen(buf), whole[fits]);
		assert_memory_equal(buf, text, whole[fits]);
	}
}

static void what_is_whole_stays(void **state)
{
	char buf[16];

	(void)state;
	assert_string_equal(utf8_copy(buf, sizeof(buf), text), text);
	assert_string_equal(utf8_copy(buf, sizeof(buf), ""), "");
	assert_string_equal(utf8_copy(buf, sizeof(buf), "\x82\x82\x82\x82"), "\x82\x82\x82\x82");
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test(no_character_is_cut),
	cmocka_unit_test(what_is_whole_stays),
};

UNIT_GROUP(utf8, tests)
