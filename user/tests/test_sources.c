// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include <string.h>

#include "events/sources/longwaits.h"
#include "events/sources/table.h"
#include "unit.h"

/* A rank says which of two reports is kept, and the bits of absorbed reports go by it. */
static void each_source_has_a_name_and_a_rank_of_its_own(void **state)
{
	(void)state;
	for (size_t i = 0; trace_sources[i]; i++) {
		const struct source *a = trace_sources[i];

		assert_in_range(a->rank, RANK_PARTIAL, RANK_MAX);
		for (size_t k = 0; k < i; k++) {
			assert_int_not_equal(a->rank, trace_sources[k]->rank);
			assert_string_not_equal(a->name, trace_sources[k]->name);
		}
	}
}

/* A session may have it beside all others, and the recorder's folder has its name. */
static void the_source_of_waits_is_like_no_other(void **state)
{
	(void)state;
	assert_in_range(source_longwaits.rank, RANK_PARTIAL, RANK_MAX);
	assert_true(source_is(&source_longwaits, SOURCE_WAITS));
	for (size_t i = 0; trace_sources[i]; i++) {
		assert_int_not_equal(source_longwaits.rank, trace_sources[i]->rank);
		assert_string_not_equal(source_longwaits.name, trace_sources[i]->name);
		assert_false(source_is(trace_sources[i], SOURCE_WAITS));
	}
}

static void each_source_does_what_a_session_asks(void **state)
{
	(void)state;
	for (size_t i = 0; trace_sources[i]; i++) {
		const struct source *a = trace_sources[i];

		assert_string_equal(source_name(i), a->name);
		assert_null(strpbrk(a->name, ", "));
		assert_non_null(a->what);
		assert_true(a->usable && a->open && a->poll && a->lost && a->close);
		/* Whose programs take part sees no others. */
		assert_true(!a->covers == !source_is(a, SOURCE_SELF_REPORTS));
	}
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test(each_source_has_a_name_and_a_rank_of_its_own),
	cmocka_unit_test(the_source_of_waits_is_like_no_other),
	cmocka_unit_test(each_source_does_what_a_session_asks),
};

UNIT_GROUP(sources, tests)
