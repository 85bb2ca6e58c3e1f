// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include <signal.h>
#include <string.h>
#include <unistd.h>

#include "base/rehearse.h"
#include "unit.h"

static int changed;

static void arg_change(void *arg)
{
	changed = *(int *)arg;
}

static void child_crash(void *arg)
{
	(void)arg;
	raise(SIGSEGV);
}

static void child_leave(void *arg)
{
	(void)arg;
	_exit(1);
}

static void child_kill(void *arg)
{
	raise(*(int *)arg);
}

static void the_reason_is_told(void **state)
{
	static const struct {
		int sig;
		const char *text;
	} ways[] = { { SIGKILL, "too little memory" },
		     { SIGXCPU, "does not come to an end" },
		     { SIGSEGV, "crashes on it (Segmentation fault)" } };

	(void)state;
	for (size_t i = 0; i < sizeof(ways) / sizeof(ways[0]); i++) {
		int sig = ways[i].sig;

		assert_int_equal(rehearse_in_child(child_kill, &sig), sig);
		assert_non_null(strstr(rehearse_text(sig), ways[i].text));
	}
}

static void a_crash_is_survived(void **state)
{
	(void)state;
	assert_int_equal(rehearse_in_child(child_crash, NULL), SIGSEGV);
}

static void an_exit_from_within_is_a_crash(void **state)
{
	(void)state;
	assert_int_equal(rehearse_in_child(child_leave, NULL), SIGABRT);
}

static void nothing_changes_here(void **state)
{
	int to = 7;

	(void)state;
	assert_int_equal(rehearse_in_child(arg_change, &to), 0);
	assert_int_equal(changed, 0);
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test(the_reason_is_told),
	cmocka_unit_test(a_crash_is_survived),
	cmocka_unit_test(an_exit_from_within_is_a_crash),
	cmocka_unit_test(nothing_changes_here),
};

UNIT_GROUP(rehearse, tests)
