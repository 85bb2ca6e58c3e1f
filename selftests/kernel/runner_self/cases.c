// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Tests that must fail, each in its own way: run.sh compares the verdicts. */
#include <signal.h>
#include <stdlib.h>
#include <unistd.h>
#include "kernel/runner/test.h"

static void passes(void)
{
	CHECK(true, "never printed");
	CHECK_EQ(7, 7, "seven");
}

static void fails(void)
{
	CHECK_EQ(6, 7, "seven");
}

static void fails_then_skips(void)
{
	CHECK(false, "a failure is not forgotten");
	test_skip("a reason");
}

static void checks_nothing(void)
{
}

static void skips(void)
{
	test_skip("a reason");
}

static void hangs(void)
{
	CHECK(true, "never printed");
	pause();
}

static void crashes(void)
{
	CHECK(true, "never printed");
	abort();
}

static void leaves(void)
{
	CHECK(true, "never printed");
	_exit(0);
}

static const struct test_case cases[] = {
	{ .name = "passes", .run = passes },
	{ .name = "fails", .run = fails },
	{ .name = "fails_then_skips", .run = fails_then_skips },
	{ .name = "checks_nothing", .run = checks_nothing },
	{ .name = "skips", .run = skips },
	{ .name = "hangs", .run = hangs, .limit_s = 1 },
	{ .name = "crashes", .run = crashes },
	{ .name = "leaves", .run = leaves },
	{ .name = "wants_cpus", .run = passes, .min_cpus = 1 << 20 },
	{},
};

TEST_SUITE(self, cases);
