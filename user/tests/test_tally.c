// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include "events/failure.h"
#include "events/tally.h"
#include "unit.h"

static void sums_are_by_program_and_kind(void **state)
{
	struct failure aa = { .prog_id = 5, .ev = { .kind = RQSPIN_AA, .prog = "mine" } };
	struct failure abba = { .prog_id = 5, .ev = { .kind = RQSPIN_ABBA, .prog = "mine" } };
	struct tally t = { 0 };

	(void)state;
	tally_add(&t, &aa, 1, false);
	tally_add(&t, &abba, 1, false);
	tally_add(&t, &aa, 40, true);
	tally_add(&t, NULL, 3, true);
	assert_int_equal(tally_nr(&t), 3);
	assert_int_equal(tally_at(&t, 0)->failures, 41);
	assert_int_equal(tally_at(&t, 0)->lost, 40);
	assert_string_equal(tally_at(&t, 0)->prog, "mine");
	assert_int_equal(tally_at(&t, 1)->kind, RQSPIN_ABBA);
	assert_int_equal(tally_at(&t, 1)->lost, 0);
	assert_true(tally_at(&t, 2)->others && tally_at(&t, 2)->lost == 3);
	tally_free(&t);
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test(sums_are_by_program_and_kind),
};

UNIT_GROUP(tally, tests)
