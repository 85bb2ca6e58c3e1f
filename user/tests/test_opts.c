// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include <errno.h>

#include "base/opts.h"
#include "unit.h"

static void cpus_keep_their_order(void **state)
{
	int cpus[OPT_CPUS_MAX];

	(void)state;
	assert_int_equal(opt_cpus("5,0,2-3", cpus), 4);
	assert_int_equal(cpus[0], 5);
	assert_int_equal(cpus[1], 0);
	assert_int_equal(cpus[2], 2);
	assert_int_equal(cpus[3], 3);
}

static void bad_cpu_lists_are_refused(void **state)
{
	static const struct {
		const char *text;
		int err;
	} bad[] = {
		{ "", -EINVAL },	{ ",", -EINVAL },
		{ "0,", -EINVAL },	{ ",0", -EINVAL },
		{ "a", -EINVAL },	{ "0-", -EINVAL },
		{ "-1", -EINVAL },	{ "3-1", -EINVAL },
		{ "0 1", -EINVAL },	{ "0,,1", -EINVAL },
		{ "0x1", -EINVAL },	{ "1,1", -EEXIST },
		{ "0-3,2", -EEXIST },	{ "99999", -ERANGE },
		{ "0-99999", -ERANGE }, { "99999999999999999999", -ERANGE },
	};
	int cpus[OPT_CPUS_MAX] = { 42 };

	(void)state;
	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
		assert_int_equal(opt_cpus(bad[i].text, cpus), bad[i].err);
		assert_int_equal(cpus[0], 42);
	}
}

static void numbers_have_bounds(void **state)
{
	uint64_t v = 7;

	(void)state;
	assert_int_equal(opt_u64("997", 1, 1000, &v), 0);
	assert_int_equal(v, 997);
	assert_int_equal(opt_u64("0", 1, 1000, &v), -ERANGE);
	assert_int_equal(opt_u64("1001", 1, 1000, &v), -ERANGE);
	assert_int_equal(opt_u64("99999999999999999999999", 1, UINT64_MAX, &v), -ERANGE);
	assert_int_equal(opt_u64("-1", 0, UINT64_MAX, &v), -EINVAL);
	assert_int_equal(opt_u64("+1", 0, UINT64_MAX, &v), -EINVAL);
	assert_int_equal(opt_u64(" 1", 0, UINT64_MAX, &v), -EINVAL);
	assert_int_equal(opt_u64("1e3", 0, UINT64_MAX, &v), -EINVAL);
	assert_int_equal(opt_u64("", 0, UINT64_MAX, &v), -EINVAL);
	assert_int_equal(v, 997);
}

static void times_have_units(void **state)
{
	static const struct {
		const char *text;
		double want;
	} good[] = { { "5", 5 },       { "1.5", 1.5 }, { ".5s", .5 },
		     { "250ms", .25 }, { "2m", 120 },  { "1h", 3600 } };
	double v;

	(void)state;
	for (size_t i = 0; i < sizeof(good) / sizeof(good[0]); i++) {
		assert_int_equal(opt_seconds(good[i].text, &v), 0);
		assert_true(v > good[i].want * .999999 && v < good[i].want * 1.000001);
	}
}

static void bad_times_are_refused(void **state)
{
	static const char *const bad[] = { "",	  "s",	 "-1", "1x",  "1 s",
					   "inf", "nan", "0",  "0ms", "1e99" };
	double v = 7;

	(void)state;
	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++)
		assert_int_not_equal(opt_seconds(bad[i], &v), 0);
	assert_true(v == 7);
}

static void sizes_have_units(void **state)
{
	static const struct {
		const char *text;
		int err;
		uint64_t val;
	} t[] = {
		{ "65536", 0, 65536 },	 { "64K", 0, 65536 },
		{ "8M", 0, 8 << 20 },	 { "1g", 0, 1ULL << 30 },
		{ "63K", -ERANGE, 42 },	 { "2G", -ERANGE, 42 },
		{ "", -EINVAL, 42 },	 { "K", -EINVAL, 42 },
		{ "8MB", -EINVAL, 42 },	 { "-8M", -EINVAL, 42 },
		{ "1.5M", -EINVAL, 42 }, { "99999999999999999G", -ERANGE, 42 },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(t) / sizeof(t[0]); i++) {
		uint64_t val = 42;

		assert_int_equal(opt_size(t[i].text, 65536, 1ULL << 30, &val), t[i].err);
		assert_int_equal(val, t[i].val);
	}
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test(sizes_have_units),	     cmocka_unit_test(cpus_keep_their_order),
	cmocka_unit_test(bad_cpu_lists_are_refused), cmocka_unit_test(numbers_have_bounds),
	cmocka_unit_test(times_have_units),	     cmocka_unit_test(bad_times_are_refused),
};

UNIT_GROUP(opts, tests)
