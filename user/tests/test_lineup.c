// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "events/lineup.h"
#include "unit.h"

static char order[32]; /* in which sources were opened */

static bool source_works(char *why, size_t size)
{
	(void)why;
	(void)size;
	return true;
}

static bool does_not_work(char *why, size_t size)
{
	snprintf(why, size, "not here");
	return false;
}

static void *open_named(char name)
{
	static int state;

	order[strlen(order)] = name;
	return &state;
}

static void *open_own(struct session *s)
{
	(void)s;
	return open_named('o');
}

static void *open_reports(struct session *s)
{
	(void)s;
	return open_named('r');
}

static void *open_partial(struct session *s)
{
	(void)s;
	return open_named('p');
}

static void close_any(void *state)
{
	(void)state;
}

static const struct source own = { .name = "own",
				   .rank = 5,
				   .traits = SOURCE_SELF_REPORTS,
				   .usable = source_works,
				   .open = open_own,
				   .close = close_any };
static const struct source reports = { .name = "reports",
				       .rank = 4,
				       .traits = SOURCE_REPORTS,
				       .usable = source_works,
				       .open = open_reports,
				       .close = close_any };
static const struct source again = { .name = "again",
				     .rank = 3,
				     .traits = SOURCE_REPORTS,
				     .usable = source_works,
				     .open = open_reports,
				     .close = close_any };
static const struct source partial = {
	.name = "partial", .usable = source_works, .open = open_partial, .close = close_any
};
static const struct source broken = { .name = "broken", .rank = 1, .usable = does_not_work };

static const struct source *const table[] = { &own, &reports, &again, &partial, &broken, NULL };

static int sources_start(struct lineup *l, const char *wanted)
{
	memset(order, 0, sizeof(order));
	*l = (struct lineup){ 0 };
	return lineup_start(l, NULL, table, wanted);
}

/* What fails while sources start must not be known by the program alone. */
static void what_programs_report_themselves_starts_last(void **state)
{
	struct lineup l;

	(void)state;
	assert_int_equal(sources_start(&l, "auto"), 0);
	assert_string_equal(order, "rpo");
	lineup_stop(&l);
	assert_int_equal(sources_start(&l, "own,partial,reports"), 0);
	assert_string_equal(order, "pro");
	assert_ptr_equal(l.sources[0], &own); /* and is polled first */
	lineup_stop(&l);
}

static void nothing_starts_if_the_list_is_wrong(void **state)
{
	struct lineup l;

	(void)state;
	assert_int_equal(sources_start(&l, "reports,nonsense"), -EINVAL);
	assert_int_equal(sources_start(&l, "reports,own,reports"), -EINVAL);
	assert_int_equal(sources_start(&l, "reports,"), -EINVAL);
	assert_string_equal(order, "");
}

static void what_was_asked_for_must_work(void **state)
{
	struct lineup l;

	(void)state;
	assert_int_equal(sources_start(&l, "own,broken"), -EOPNOTSUPP);
	assert_string_equal(order, "");
	lineup_stop(&l);
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test(what_programs_report_themselves_starts_last),
	cmocka_unit_test(nothing_starts_if_the_list_is_wrong),
	cmocka_unit_test(what_was_asked_for_must_work),
};

UNIT_GROUP(lineup, tests)
