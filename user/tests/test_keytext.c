// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include <string.h>

#include "names/keytext.h"
#include "unit.h"

/* In pieces, as it is read from the kernel. */
static const char *text_of(const unsigned char *bytes, __u32 size, __u32 piece)
{
	static char text[KEYTEXT_SIZE];
	struct keytext key;

	keytext_begin(&key, size);
	for (__u32 at = 0; at < size; at += piece)
		keytext_add(&key, bytes + at, size - at < piece ? size - at : piece);
	keytext_print(&key, text);
	return text;
}

static void numbers_are_decimal(void **state)
{
	const __u32 small = 4294967295;
	const __u64 large = 18446744073709551615ULL;

	(void)state;
	assert_string_equal(text_of((const void *)&small, 4, 4), "4294967295");
	assert_string_equal(text_of((const void *)&large, 8, 3), "18446744073709551615");
}

static void others_are_hexadecimal(void **state)
{
	unsigned char bytes[KEYTEXT_WHOLE];

	(void)state;
	assert_string_equal(text_of((const void *)"\0ab\xff\x10", 5, 5), "006162ff10");
	memset(bytes, 0xee, sizeof(bytes));
	assert_int_equal(strlen(text_of(bytes, 63, 63)), 126);
	assert_int_equal(strlen(text_of(bytes, 64, 64)), 128);
	assert_null(strchr(text_of(bytes, 64, 64), '#'));
}

static void long_ones_are_cut_visibly(void **state)
{
	unsigned char bytes[65];

	(void)state;
	memset(bytes, 'a', sizeof(bytes));
	/* FNV-1a of 65 times "a". */
	assert_string_equal(text_of(bytes, 65, 65),
			    "6161616161616161616161616161616161616161616161616161616161616161"
			    "...#8087e9a889f8a14c");
}

static void long_ones_that_begin_alike_differ(void **state)
{
	unsigned char bytes[1000] = {};
	char first[KEYTEXT_SIZE];

	(void)state;
	strcpy(first, text_of(bytes, 1000, 512));
	assert_string_equal(text_of(bytes, 1000, 1), first);
	assert_string_not_equal(text_of(bytes, 999, 512), first);
	bytes[999] = 1;
	assert_string_not_equal(text_of(bytes, 1000, 512), first);
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test(numbers_are_decimal),
	cmocka_unit_test(others_are_hexadecimal),
	cmocka_unit_test(long_ones_are_cut_visibly),
	cmocka_unit_test(long_ones_that_begin_alike_differ),
};

UNIT_GROUP(keytext, tests)
