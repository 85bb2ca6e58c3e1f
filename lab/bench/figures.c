// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include <stdio.h>

#include "figures.h"

int bench_passed, bench_failed;

json_t *bench_median_json(const struct lab_median *m)
{
	return json_pack("{s:f, s:f, s:f}", "median", m->mid, "low", m->lo, "high", m->hi);
}

void bench_target(const char *what, double got, bool at_least, double want)
{
	bool ok = at_least ? got >= want : got <= want;

	if (ok)
		bench_passed++;
	else
		bench_failed++;
	printf("  %s - %s: %.3f, target %s %.2f\n", ok ? "ok" : "not ok", what, got,
	       at_least ? ">=" : "<=", want);
}
