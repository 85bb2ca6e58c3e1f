// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include "counts/wait_asked.h"
#include "names/proginfo.h"
#include "events/filter.h"
#include "unit.h"
#include "waits/drain.h"

#define ADDRESS "0x1000"

static struct proginfo prog = { .id = 5, .name = "p", .full_name = "p" };
static const struct wait_drained of_prog = { .prog = &prog, .lock = 0x1000 };
static const struct wait_drained of_nobody = { .lock = 0x1000 };
static const struct wait_drained of_gone = { .lock = 0x1000, .prog_unknown = true };
static const struct wait_drained without_room = { .lock = 0 };

static void assert_asked(enum wait_asked want, struct trace_filter filter,
			 const struct wait_drained *d)
{
	assert_int_equal(wait_asked(&filter, d, NULL), want);
}

/* No lock here has a name. */
static void a_lock_without_a_name_may_be_asked_for(void **state)
{
	(void)state;
	assert_asked(WAIT_ASKED, (struct trace_filter){ 0 }, &of_prog);
	assert_asked(WAIT_ASKED_UNKNOWN, (struct trace_filter){ .map = "m" }, &of_prog);
	assert_asked(WAIT_ASKED_UNKNOWN, (struct trace_filter){ .lock = "l" }, &of_prog);
	assert_asked(WAIT_ASKED_UNKNOWN, (struct trace_filter){ .prog = "p", .map = "m" },
		     &of_prog);
	assert_asked(WAIT_NOT_ASKED, (struct trace_filter){ .prog = "q", .map = "m" }, &of_prog);
}

static void an_address_needs_no_name(void **state)
{
	(void)state;
	assert_asked(WAIT_ASKED, (struct trace_filter){ .lock = ADDRESS }, &of_prog);
	assert_asked(WAIT_NOT_ASKED, (struct trace_filter){ .lock = "0x2000" }, &of_prog);
	assert_asked(WAIT_ASKED_UNKNOWN, (struct trace_filter){ .lock = ADDRESS, .map = "m" },
		     &of_prog);
	assert_asked(WAIT_NOT_ASKED, (struct trace_filter){ .lock = "0x2000", .map = "m" },
		     &of_prog);
}

static void a_program_that_is_gone_may_be_asked_for(void **state)
{
	(void)state;
	assert_asked(WAIT_ASKED, (struct trace_filter){ .prog = "p" }, &of_prog);
	assert_asked(WAIT_NOT_ASKED, (struct trace_filter){ .prog = "q" }, &of_prog);
	assert_asked(WAIT_NOT_ASKED, (struct trace_filter){ .prog = "p" }, &of_nobody);
	assert_asked(WAIT_ASKED_UNKNOWN, (struct trace_filter){ .prog = "p" }, &of_gone);
	assert_asked(WAIT_ASKED_UNKNOWN, (struct trace_filter){ .prog = "p", .lock = ADDRESS },
		     &of_gone);
	assert_asked(WAIT_NOT_ASKED, (struct trace_filter){ .prog = "p", .lock = "0x2000" },
		     &of_gone);
	assert_asked(WAIT_ASKED, (struct trace_filter){ .lock = ADDRESS }, &of_gone);
}

static void what_found_no_room_has_no_name(void **state)
{
	(void)state;
	assert_asked(WAIT_ASKED, (struct trace_filter){ 0 }, &without_room);
	assert_asked(WAIT_ASKED_UNKNOWN, (struct trace_filter){ .prog = "p" }, &without_room);
}

static void the_tool_is_not_asked_for(void **state)
{
	struct proginfo own = { .id = 6, .name = "o", .full_name = "o", .own = true };
	const struct wait_drained d = { .prog = &own, .lock = 0x1000 };

	(void)state;
	assert_asked(WAIT_NOT_ASKED, (struct trace_filter){ 0 }, &d);
	assert_asked(WAIT_NOT_ASKED, (struct trace_filter){ .map = "m" }, &d);
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test(a_lock_without_a_name_may_be_asked_for),
	cmocka_unit_test(an_address_needs_no_name),
	cmocka_unit_test(a_program_that_is_gone_may_be_asked_for),
	cmocka_unit_test(what_found_no_room_has_no_name),
	cmocka_unit_test(the_tool_is_not_asked_for),
};

UNIT_GROUP(wait_asked, tests)
