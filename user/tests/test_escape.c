// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include <locale.h>
#include <stdlib.h>
#include <string.h>

#include "base/escape.h"
#include "unit.h"

struct escape_case {
	const char *in, *out;
};

static void escape_check(const struct escape_case *cases, size_t nr)
{
	for (size_t i = 0; i < nr; i++)
		assert_string_equal(escaped(cases[i].in), cases[i].out);
}

static void bytes_that_drive_a_terminal(void **state)
{
	static const struct escape_case cases[] = {
		{ "", "" },
		{ "kworker/u8:1+ev [x] ~", "kworker/u8:1+ev [x] ~" },
		{ "two\nlines\r\n", "two\\nlines\\r\\n" },
		{ "\x1b[2J\a\t\x7f", "\\x1b[2J\\x07\\t\\x7f" },
		{ "back\\nslash", "back\\\\nslash" },
	};

	(void)state;
	escape_check(cases, sizeof(cases) / sizeof(cases[0]));
}

static void characters_of_more_than_a_byte(void **state)
{
	static const struct escape_case utf8[] = {
		{ "caf\u00e9 \u4e2d \U0001f600", "caf\u00e9 \u4e2d \U0001f600" },
		{ "\xc2\x9b"
		  "31m",
		  "\\u009b31m" },
		{ "a\u202e"
		  "b\u200b\u2028\ufeff",
		  "a\\u202eb\\u200b\\u2028\\ufeff" },
		{ "\U000e0041", "\\U000e0041" },
		{ "\xff\xc3", "\\xff\\xc3" },
		{ "\xc0\x8a", "\\xc0\\x8a" },
		{ "\xed\xa0\x80", "\\xed\\xa0\\x80" },
	};
	static const struct escape_case ascii[] = { { "caf\u00e9", "caf\\xc3\\xa9" } };

	(void)state;
	escape_check(ascii, 1);
	if (!setlocale(LC_CTYPE, "C.UTF-8"))
		skip();
	escape_check(utf8, sizeof(utf8) / sizeof(utf8[0]));
	setlocale(LC_CTYPE, "C");
}

static void what_does_not_fit_is_marked(void **state)
{
	char buf[10];

	(void)state;
	assert_string_equal(escape_text("123456789", buf, sizeof(buf)), "123456789");
	assert_string_equal(escape_text("1234567890", buf, sizeof(buf)), "123456...");
	assert_string_equal(escape_text("12345\n\n\n", buf, sizeof(buf)), "12345...");
	assert_string_equal(escape_text("\x1b\x1b\x1b", buf, sizeof(buf)), "\\x1b...");
	assert_string_equal(escape_text("1234", buf, 4), "...");
}

static void put_takes_a_part(void **state)
{
	char *text;
	size_t size;
	FILE *out = open_memstream(&text, &size);

	(void)state;
	escape_put(out, "ab\ncd", 4);
	fclose(out);
	assert_string_equal(text, "ab\\nc");
	free(text);
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test(bytes_that_drive_a_terminal),
	cmocka_unit_test(characters_of_more_than_a_byte),
	cmocka_unit_test(what_does_not_fit_is_marked),
	cmocka_unit_test(put_takes_a_part),
};

UNIT_GROUP(escape, tests)
