// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include "names/arenaword.h"
#include "unit.h"

#define TAIL(cpu, level) (((cpu) + 1U) << 18 | (level) << 16)

static void said_is(struct arena_said said, enum arena_word_state state, bool pending, int cpu,
		    unsigned int level)
{
	assert_int_equal(said.state, state);
	assert_int_equal(said.pending, pending);
	assert_int_equal(said.tail_cpu, cpu);
	assert_int_equal(said.tail_level, level);
}

static void a_queue_has_an_owner_a_next_and_an_end(void **state)
{
	(void)state;
	said_is(arenaword_decode(ARENA_QUEUED, 0), ARENA_FREE, false, -1, 0);
	said_is(arenaword_decode(ARENA_QUEUED, 1), ARENA_LOCKED, false, -1, 0);
	said_is(arenaword_decode(ARENA_QUEUED, 0x101), ARENA_LOCKED, true, -1, 0);
	said_is(arenaword_decode(ARENA_QUEUED, TAIL(0, 0) | 1), ARENA_LOCKED, false, 0, 0);
	said_is(arenaword_decode(ARENA_QUEUED, TAIL(5, 2) | 0x101), ARENA_LOCKED, true, 5, 2);
	said_is(arenaword_decode(ARENA_QUEUED, TAIL(16382, 3) | 1), ARENA_LOCKED, false, 16382, 3);
}

static void between_two_owners_it_is_handed_over(void **state)
{
	(void)state;
	said_is(arenaword_decode(ARENA_QUEUED, 0x100), ARENA_HANDED, true, -1, 0);
	said_is(arenaword_decode(ARENA_QUEUED, TAIL(7, 1)), ARENA_HANDED, false, 7, 1);
}

/* Bits 16 and 17 count only with a CPU. */
static void a_level_without_a_cpu_is_no_tail(void **state)
{
	(void)state;
	said_is(arenaword_decode(ARENA_QUEUED, 0x30001), ARENA_LOCKED, false, -1, 0);
}

static void a_plain_word_is_free_or_locked(void **state)
{
	(void)state;
	said_is(arenaword_decode(ARENA_PLAIN, 0), ARENA_FREE, false, -1, 0);
	said_is(arenaword_decode(ARENA_PLAIN, 1), ARENA_LOCKED, false, -1, 0);
	said_is(arenaword_decode(ARENA_PLAIN, TAIL(5, 2) | 0x100), ARENA_LOCKED, false, -1, 0);
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test(a_queue_has_an_owner_a_next_and_an_end),
	cmocka_unit_test(between_two_owners_it_is_handed_over),
	cmocka_unit_test(a_level_without_a_cpu_is_no_tail),
	cmocka_unit_test(a_plain_word_is_free_or_locked),
};

UNIT_GROUP(arenaword, tests)
