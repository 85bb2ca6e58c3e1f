// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Delays that adapt: their steps, their bounds, and the locks that they belong to. */
#include "unit.h"
#include "../../locks/backoff.h"
#include "../../locks/ticket.h"

static void test_steps(void **state)
{
	u32 delay = BACKOFF_MIN;
	int i;

	assert_int_equal(backoff_longer(delay), BACKOFF_ONE + 36);
	assert_int_equal(backoff_shorter(delay), delay);
	/* Seven looks too early and one too late: nearly as before. */
	delay = 10 * BACKOFF_ONE;
	for (i = 0; i < 7; i++)
		delay = backoff_longer(delay);
	assert_in_range(backoff_shorter(delay), 10 * BACKOFF_ONE - 8, 10 * BACKOFF_ONE);
	/* From 32 pauses on, the step is a fraction of the delay. */
	assert_int_equal(backoff_shorter(3200 * BACKOFF_ONE), 3100 * BACKOFF_ONE);
}

static void test_bounds(void **state)
{
	u32 delay = BACKOFF_MIN;
	int i;

	for (i = 0; i < 200000; i++)
		delay = backoff_longer(delay);
	assert_in_range(delay, BACKOFF_MAX, BACKOFF_MAX + BACKOFF_ONE);
	for (i = 0; i < 200000; i++)
		delay = backoff_shorter(delay);
	assert_in_range(delay, BACKOFF_MIN, 2 * BACKOFF_ONE);
}

static void test_whose(void **state)
{
	static union lab_lock locks[256];
	struct backoff *b = backoff_of(&locks[0]), *other;
	int i, apart = 0;

	assert_ptr_equal(backoff_of(&locks[0]), b);
	b->lock = &locks[0];
	b->delay = 7 * BACKOFF_ONE;
	assert_int_equal(backoff_start(b, &locks[0]), 7 * BACKOFF_ONE);
	for (i = 1; i < 256; i++) {
		other = backoff_of(&locks[i]);
		apart += other != b;
		/* Another lock does not start with this one's delay, wherever its place is. */
		assert_int_equal(backoff_start(other, &locks[i]), BACKOFF_MIN);
	}
	assert_in_range(apart, 230, 255);
}

/* The test is CPU 0, third in line; a thread serves the two waiters in front. */
struct line {
	union ticket_lock lock;
	u32 looks;
};

static void *line_serve(void *arg)
{
	struct line *l = arg;

	lab_poll();
	smp_store_release(&l->lock.turn, 1);
	lab_poll();
	smp_store_release(&l->lock.turn, 2);
	return NULL;
}

static void test_learns(void **state)
{
	struct line l = { 0 };
	struct backoff *b = backoff_of(&l.lock);
	pthread_t server;

	b->lock = NULL;
	l.lock.next = 3;
	assert_int_equal(pthread_create(&server, NULL, line_serve, &l), 0);
	ticket_wait_auto(&l.lock, 2);
	pthread_join(server, NULL);
	assert_int_equal(l.lock.turn, 2);
	assert_ptr_equal(b->lock, &l.lock);
	assert_true(b->delay > BACKOFF_MIN);
}

void unit_backoff(struct unit_sum *sum)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_steps),
		cmocka_unit_test(test_bounds),
		cmocka_unit_test(test_whose),
		cmocka_unit_test(test_learns),
	};

	unit_run(sum, tests);
}
