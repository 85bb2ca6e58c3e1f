// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include "kernel/runner/test.h"
#include "kernel/runner/outcome.h"

struct outcome *outcome;
static int verbosity;

int test_verbosity(void)
{
	return verbosity;
}

void test_more_verbose(void)
{
	verbosity++;
}

int outcome_map(void)
{
	outcome = mmap(NULL, sizeof(*outcome), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS,
		       -1, 0);
	return outcome == MAP_FAILED ? -errno : 0;
}

void outcome_reset(void)
{
	memset(outcome, 0, sizeof(*outcome));
}

void outcome_close(void)
{
	if (outcome->failures) {
		outcome->verdict = VERDICT_FAIL;
	} else if (outcome->skip[0]) {
		outcome->verdict = VERDICT_SKIP;
	} else if (!outcome->checks) {
		printf("# the test made no check\n");
		outcome->verdict = VERDICT_FAIL;
	} else {
		outcome->verdict = VERDICT_PASS;
	}
}

static void comment_vprint(const char *prefix, const char *fmt, va_list ap)
{
	char text[4096], *line, *save;

	vsnprintf(text, sizeof(text), fmt, ap);
	flockfile(stdout);
	for (line = strtok_r(text, "\n", &save); line; line = strtok_r(NULL, "\n", &save))
		printf("# %s%s\n", prefix, line);
	funlockfile(stdout);
}

bool test_check(bool ok, const char *file, int line, const char *expr, const char *fmt, ...)
{
	char where[512];
	va_list ap;

	__atomic_add_fetch(&outcome->checks, 1, __ATOMIC_RELAXED);
	if (ok)
		return true;
	__atomic_add_fetch(&outcome->failures, 1, __ATOMIC_RELAXED);
	snprintf(where, sizeof(where), "%s:%d: not true: %s: ", file, line, expr);
	va_start(ap, fmt);
	comment_vprint(where, fmt, ap);
	va_end(ap);
	return false;
}

bool test_check_eq(long got, long want, const char *file, int line, const char *what)
{
	return test_check(got == want, file, line, what, "got %ld, expected %ld", got, want);
}

void test_skip(const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(outcome->skip, sizeof(outcome->skip), fmt, ap);
	va_end(ap);
}

void test_note(const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	comment_vprint("", fmt, ap);
	va_end(ap);
}
