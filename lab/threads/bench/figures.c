// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include <stdio.h>
#include <string.h>

#include "figures.h"

#define MAX_TARGETS 128

int bench_passed, bench_failed, bench_expected;

static char judged[MAX_TARGETS][96];
static int nr_judged;

json_t *bench_median_json(const struct lab_median *m)
{
	return json_pack("{s:f, s:f, s:f}", "median", m->mid, "low", m->lo, "high", m->hi);
}

static const struct lab_cpu *this_cpu(void)
{
	static struct lab_cpu cpu;

	if (!*cpu.vendor)
		lab_this_cpu(&cpu);
	return &cpu;
}

static void judged_add(const char *what)
{
	if (nr_judged < MAX_TARGETS)
		snprintf(judged[nr_judged++], sizeof(*judged), "%s", what);
}

static void print_known(const struct lab_known *known)
{
	printf(", %.3f +- %.3f is known of this CPU (%s)", known->value, known->tolerance,
	       known->why);
}

void bench_target(const char *what, double got, bool at_least, double want)
{
	static const char *const words[] = {
		[LAB_MET] = "ok",
		[LAB_MISSED] = "not ok",
		[LAB_AS_KNOWN] = "as known",
		[LAB_VANISHED] = "not ok, met but listed as missed",
		[LAB_OTHER_VALUE] = "not ok, missed by another value than listed",
	};
	const struct lab_known *known = lab_known(this_cpu(), what);
	enum lab_verdict verdict = lab_judge(known, at_least ? got >= want : got <= want, got);

	judged_add(what);
	if (verdict == LAB_MET)
		bench_passed++;
	else if (verdict == LAB_AS_KNOWN)
		bench_expected++;
	else
		bench_failed++;
	printf("  %s - %s: %.3f, target %s %.2f", words[verdict], what, got,
	       at_least ? ">=" : "<=", want);
	if (known)
		print_known(known);
	printf("\n");
}

static bool was_judged(const char *what)
{
	int i;

	for (i = 0; i < nr_judged && strcmp(judged[i], what); i++)
		;
	return i < nr_judged;
}

void bench_known_are_judged(void)
{
	const struct lab_known *k = NULL;

	while ((k = lab_known_next(this_cpu(), k))) {
		if (was_judged(k->what))
			continue;
		bench_failed++;
		printf("  not ok - %s: listed as missed, but no target\n", k->what);
	}
}
