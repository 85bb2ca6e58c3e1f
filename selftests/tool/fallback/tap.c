// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include <stdarg.h>
#include <stdio.h>
#include "tap.h"

static int passed, failed, skipped;

bool tap_result(bool good, const char *fmt, ...)
{
	va_list ap;

	printf("%s %d - ", good ? "ok" : "not ok", passed + failed + skipped + 1);
	va_start(ap, fmt);
	vprintf(fmt, ap);
	va_end(ap);
	putchar('\n');
	fflush(stdout);
	if (good)
		passed++;
	else
		failed++;
	return good;
}

void tap_skip(const char *name, const char *reason)
{
	skipped++;
	printf("ok %d - %s # SKIP %s\n", passed + failed + skipped, name, reason);
}

int tap_end(void)
{
	printf("1..%d\n%d passed, %d failed, %d skipped\n", passed + failed + skipped, passed,
	       failed, skipped);
	return failed || !passed;
}
