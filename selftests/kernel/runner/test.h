/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The kernel-facing tests. prog_tests/X.c registers a suite X and drives the
 * programs of progs/X.bpf.c; programs that carry the tags of
 * progs/test_macros.h need no C at all. Every test runs in its own process.
 */
#ifndef RQSPIN_RUNNER_TEST_H
#define RQSPIN_RUNNER_TEST_H

#include <stdbool.h>
#include <stddef.h>

/**
 * struct test_case - one line of TAP
 * @name: printed as SUITE/NAME
 * @run: makes at least one CHECK, or calls test_skip(); runs in a child process
 * @min_cpus: skipped if fewer CPUs are online
 * @limit_s: seconds before the child is killed and the test fails, 0 for the default
 */
struct test_case {
	const char *name;
	void (*run)(void);
	int min_cpus;
	int limit_s;
};

struct test_suite {
	const char *name;
	const struct test_case *cases; /* ended by an entry without a name */
};

#define TEST_SUITE(id, table)                                                        \
	static const struct test_suite suite_##id = { .name = #id, .cases = table }; \
	static const struct test_suite *const suite_ptr_##id                         \
		__attribute__((used, section("test_suites"))) = &suite_##id

/* True if @cond holds; else the test fails and the message is printed as a TAP comment. */
#define CHECK(cond, ...)	  test_check(!!(cond), __FILE__, __LINE__, #cond, __VA_ARGS__)
#define CHECK_EQ(got, want, what) test_check_eq((long)(got), (long)(want), __FILE__, __LINE__, what)

bool test_check(bool ok, const char *file, int line, const char *expr, const char *fmt, ...)
	__attribute__((format(printf, 5, 6)));
bool test_check_eq(long got, long want, const char *file, int line, const char *what);

/* Skip the test with a reason why this machine cannot run it; return from the test after it. */
void test_skip(const char *fmt, ...) __attribute__((format(printf, 1, 2)));

/* Print a figure to the log ("# ..."); it does not affect the verdict. */
void test_note(const char *fmt, ...) __attribute__((format(printf, 1, 2)));

int test_verbosity(void);

#endif
