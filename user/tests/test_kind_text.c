// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include <errno.h>

#include "output/failure_text.h"
#include "events/failure.h"
#include "unit.h"

static void kinds_and_errors_are_words(void **state)
{
	static const struct {
		struct rqspin_event ev;
		const char *text;
	} cases[] = {
		{ { .kind = RQSPIN_AA, .err = -EDEADLK }, "AA" },
		{ { .kind = RQSPIN_CYCLE, .parties = 3, .err = -ETIMEDOUT }, "CYCLE 3" },
		{ { .kind = RQSPIN_CYCLE, .parties = ~0U }, "CYCLE 4294967295" },
		{ { .kind = RQSPIN_UNKNOWN }, "UNKNOWN" },
		{ { .kind = RQSPIN_UNKNOWN, .err = -EDEADLK }, "UNKNOWN(EDEADLK)" },
		{ { .err = -ENOTRECOVERABLE }, "UNKNOWN(ENOTRECOVERABLE)" },
		{ { .err = -524 }, "UNKNOWN(-524)" },
	};
	char text[KIND_TEXT];

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++)
		assert_string_equal(kind_text(&cases[i].ev, text), cases[i].text);
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test(kinds_and_errors_are_words),
};

UNIT_GROUP(kind_text, tests)
