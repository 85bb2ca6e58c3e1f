// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include <argp.h>
#include <stdio.h>

#include "waits.h"

static int passed, failed;

static error_t waits_parse(int key, char *arg, struct argp_state *state)
{
	const char **only = state->input;

	if (key != 'o')
		return ARGP_ERR_UNKNOWN;
	*only = arg;
	return 0;
}

static void waits_run(const char *only, const char *name, const char *lock,
		      bool (*fn)(const struct lab_ops *ops))
{
	bool ok;

	if (only && strcmp(only, name))
		return;
	ok = fn(lab_lock_named(lock));
	passed += ok;
	failed += !ok;
	printf("%s - %s: %s\n", ok ? "ok" : "not ok", lock, name);
	fflush(stdout);
}

int main(int argc, char **argv)
{
	static const struct argp_option table[] = {
		{ "only", 'o', "NAME", 0, "limits or sites", 0 },
		{ 0 },
	};
	static const struct argp argp = { table, waits_parse, NULL, "What a wait costs", 0, 0, 0 };
	const char *only = NULL;

	argp_parse(&argp, argc, argv, 0, NULL, &only);
	shim_init(32);
	waits_run(only, "limits", "rqspinlock", waits_limits);
	waits_run(only, "limits", "rqspinlock-hybrid", waits_limits);
	waits_run(only, "limits", "rqspinlock-tas", waits_limits);
	waits_run(only, "sites", "rqspinlock", waits_sites);
	printf("\n%d passed, %d failed, 0 skipped\n", passed, failed);
	return failed != 0;
}
