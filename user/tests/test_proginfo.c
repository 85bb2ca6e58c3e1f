// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include "names/proginfo.h"
#include "unit.h"

static void recall(struct proginfos *ps, const char *name, __u64 start, __u64 when_ns)
{
	const struct proginfo_was was = { 5, name, start, start + 0x100, when_ns };

	assert_int_equal(proginfos_recall(ps, &was), 0);
}

static size_t nr_progs(struct proginfos *ps)
{
	size_t nr = 0;

	for (const struct proginfo *p = proginfos_first(ps); p; p = p->next)
		nr++;
	return nr;
}

/* Failures in several functions of one program, by turns. */
static void each_function_that_is_gone_is_kept_once(void **state)
{
	struct proginfos *ps = proginfos_open();
	const struct proginfo *p;
	__u32 nth;

	(void)state;
	assert_non_null(ps);
	for (__u64 when = 10; when < 20; when += 2) {
		recall(ps, "one", 0x1000, when);
		recall(ps, "two", 0x2000, when + 1);
	}
	assert_int_equal(nr_progs(ps), 2);
	for (__u64 when = 11; when < 19; when++) {
		p = proginfo_by_addr(proginfos_first(ps), 0x1010, when, &nth);
		assert_non_null(p);
		assert_string_equal(p->full_name, "one");
	}
	assert_null(proginfo_by_addr(proginfos_first(ps), 0x1010, 19, &nth));
	p = proginfo_by_addr(proginfos_first(ps), 0x2010, 19, &nth);
	assert_non_null(p);
	assert_string_equal(p->full_name, "two");
	proginfos_close(ps);
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test(each_function_that_is_gone_is_kept_once),
};

UNIT_GROUP(proginfo, tests)
