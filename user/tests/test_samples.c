// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include <stdlib.h>
#include <string.h>

#include "run/driver.h"
#include "run/outcome.h"
#include "run/samples.h"
#include "unit.h"

static void names_are_unique_and_found(void **state)
{
	(void)state;
	assert_true(nr_samples > 0);
	for (size_t i = 0; i < nr_samples; i++)
		assert_ptr_equal(sample_find(samples[i].name), &samples[i]);
	assert_null(sample_find("no-such-sample"));
	assert_null(sample_find(""));
}

static void rows_are_complete(void **state)
{
	(void)state;
	for (size_t i = 0; i < nr_samples; i++) {
		const struct sample *s = &samples[i];

		assert_true(s->by_hand || sample_nr_roles(s) >= 1);
		assert_true(s->min_cpus >= 1);
		assert_true(s->by_hand || !s->needs[0] || !strcmp(s->needs, "trampoline") ||
			    !strcmp(s->needs, "unlock_ooo"));
		assert_true(s->rounds > 0);
		assert_true(s->shows && s->shows[0]);
		assert_false(s->role_per_cpu && sample_nr_roles(s) != 1);
	}
}

/* An expectation that cannot be read or met by any counts would show here. */
static void expectations_can_be_read(void **state)
{
	const struct counts none = { 0 };

	char why[160];

	(void)state;
	for (size_t i = 0; i < nr_samples; i++)
		if (!samples[i].by_hand)
			assert_true(outcome_check(samples[i].expect, &none, 0, why, sizeof(why)));
}

static void outcome_expect(const char *expect, struct counts c, uint64_t rounds, const char *want)
{
	char why[160];
	bool as_expected = outcome_check(expect, &c, rounds, why, sizeof(why));

	assert_int_equal(as_expected, !want);
	if (want)
		assert_string_equal(why, want);
}

static void outcomes_are_judged(void **state)
{
	(void)state;
	outcome_expect("ok=0 EDEADLK=1", (struct counts){ 0, 10, 0, 0 }, 10, NULL);
	outcome_expect("ok=0 EDEADLK=1", (struct counts){ 1, 10, 0, 0 }, 10,
		       "expected ok=0, got 1");
	outcome_expect("ok=0 EDEADLK=1", (struct counts){ 0, 9, 0, 0 }, 10,
		       "expected EDEADLK=10, got 9");
	outcome_expect("EDEADLK>=1", (struct counts){ 5, 15, 0, 0 }, 10, NULL);
	outcome_expect("EDEADLK>=1", (struct counts){ 5, 9, 0, 0 }, 10,
		       "expected EDEADLK>=10, got 9");
	outcome_expect("EDEADLK>=1", (struct counts){ 5, 10, 1, 0 }, 10,
		       "expected ETIMEDOUT=0, got 1");
	outcome_expect("A+B", (struct counts){ 0 }, 1, "the sample's expectation cannot be read");
	outcome_expect("EDEADLK+ETIMEDOUT=1", (struct counts){ 5, 4, 6, 0 }, 10, NULL);
	outcome_expect("EDEADLK+ETIMEDOUT>=1", (struct counts){ 5, 4, 5, 0 }, 10,
		       "expected EDEADLK+ETIMEDOUT>=10, got 9");
	outcome_expect("EDEADLK+ETIMEDOUT>=1", (struct counts){ 5, 10, 0, 1 }, 10,
		       "expected other=0, got 1");
	outcome_expect("EDEADLK+ETIMEDOUT>=1", (struct counts){ 0, 4, 6, 0 }, 10, NULL);
	outcome_expect("EDEADLK+ETIMEDOUT>=1", (struct counts){ 0, 4, 5, 0 }, 10,
		       "expected EDEADLK+ETIMEDOUT>=10, got 9");
	outcome_expect("ok=1 ETIMEDOUT=1", (struct counts){ 3, 1, 3, 0 }, 3,
		       "expected EDEADLK=0, got 1");
	outcome_expect("", (struct counts){ 5, 0, 0, 0 }, 10, NULL);
	outcome_expect("", (struct counts){ 5, 0, 0, 2 }, 10, "expected other=0, got 2");
}

static void unreadable_expectations_are_told(void **state)
{
	static const char *const bad[] = { "nothing=1",	    "ok",   "ok=x1", "=1",
					   "ok 1",	    "ok>1", "ok+=1", "EDEADLK+none=1",
					   "EDEADLK=1,ok=1" };

	(void)state;
	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++)
		outcome_expect(bad[i], (struct counts){ 1, 1, 1, 1 }, 1,
			       "the sample's expectation cannot be read");
}

static void object_folder_can_be_given(void **state)
{
	char *path;

	(void)state;
	setenv("RQSPIN_PROGS_DIR", "/nonexistent", 1);
	assert_null(sample_object("aa"));
	setenv("RQSPIN_PROGS_DIR", "/dev/..", 1);
	path = sample_object("no-such-sample");
	assert_null(path);
	unsetenv("RQSPIN_PROGS_DIR");
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test(names_are_unique_and_found),
	cmocka_unit_test(rows_are_complete),
	cmocka_unit_test(expectations_can_be_read),
	cmocka_unit_test(outcomes_are_judged),
	cmocka_unit_test(unreadable_expectations_are_told),
	cmocka_unit_test(object_folder_can_be_given),
};

UNIT_GROUP(samples, tests)
