// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include <signal.h>
#include <unistd.h>

#include "base/rehearse.h"
#include "base/stop.h"
#include "unit.h"

#define HOUR_MS 3600000
#define LIMIT_S 60

static void pause_when_asked(void *sig)
{
	alarm(LIMIT_S);
	/* Below nohup it would stay ignored, as it should. */
	signal(SIGHUP, SIG_DFL);
	stop_init();
	raise(*(int *)sig);
	stop_pause(HOUR_MS);
	if (!stop_asked())
		raise(SIGABRT);
}

static void a_signal_before_the_pause_ends_it(void **state)
{
	int signals[] = { SIGINT, SIGTERM, SIGHUP };

	(void)state;
	for (size_t i = 0; i < sizeof(signals) / sizeof(signals[0]); i++)
		assert_int_equal(rehearse_in_child(pause_when_asked, &signals[i]), 0);
}

static void pause_shortly(void *arg)
{
	(void)arg;
	alarm(LIMIT_S);
	stop_init();
	stop_pause(1);
	if (stop_asked())
		raise(SIGABRT);
}

static void a_pause_ends_by_itself(void **state)
{
	(void)state;
	assert_int_equal(rehearse_in_child(pause_shortly, NULL), 0);
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test(a_signal_before_the_pause_ends_it),
	cmocka_unit_test(a_pause_ends_by_itself),
};

UNIT_GROUP(stop, tests)
