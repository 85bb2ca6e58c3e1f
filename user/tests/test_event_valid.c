// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include <errno.h>
#include <linux/types.h>

#include "rqspin/event.h"
#include "events/sources/event_valid.h"
#include "unit.h"

#define NOW 1000000000ULL

static struct rqspin_event event_good(void)
{
	return (struct rqspin_event){
		.ts_ns = NOW - 5,
		.wait_ns = ~0ULL,
		.lock = 0xa0,
		.err = -EDEADLK,
		.kind = RQSPIN_AA,
		.parties = 1,
		.cpu = 3,
		.owner_cpu = -1,
		.pid = 7,
		.tid = 8,
		.nr_held = RQSPIN_HELD_UNKNOWN,
	};
}

static void what_a_failure_leaves_is_valid(void **state)
{
	struct rqspin_event ev = event_good();

	(void)state;
	assert_true(event_valid(&ev, NOW));
	ev.wait_ns = 17;
	ev.nr_held = 31;
	ev.owner_tid = RQSPIN_TID_UNKNOWN;
	ev.err = -ETIMEDOUT;
	assert_true(event_valid(&ev, NOW));
}

#define REFUSED(field, value)                          \
	do {                                           \
		struct rqspin_event ev = event_good(); \
                                                       \
		ev.field = value;                      \
		assert_false(event_valid(&ev, NOW));   \
	} while (0)

static void what_no_failure_leaves_is_refused(void **state)
{
	(void)state;
	REFUSED(err, 0);
	REFUSED(err, 35);
	REFUSED(err, -5000);
	REFUSED(ts_ns, NOW + 1);
	REFUSED(ts_ns, -5ULL);
	REFUSED(wait_ns, -5ULL);
	REFUSED(wait_ns, NOW + 1);
	REFUSED(kind, 99);
	REFUSED(parties, 1U << 31);
	REFUSED(cpu, 1U << 31);
	REFUSED(owner_cpu, -2);
	REFUSED(pid, 1U << 31);
	REFUSED(tid, 1U << 31);
	REFUSED(line, 1U << 31);
	REFUSED(nr_held, 1U << 31);
	REFUSED(nr_owner_held, 5000);
	REFUSED(owner_tid, 1U << 31);
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test(what_a_failure_leaves_is_valid),
	cmocka_unit_test(what_no_failure_leaves_is_refused),
};

UNIT_GROUP(event_valid, tests)
