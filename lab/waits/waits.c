// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include <argp.h>
#include <stdio.h>

#include "waits.h"

struct options {
	const char *only;
	bool judge;
};

static int passed, failed;

static error_t parse(int key, char *arg, struct argp_state *state)
{
	struct options *o = state->input;

	switch (key) {
	case 'o':
		o->only = arg;
		return 0;
	case 'j':
		o->judge = true;
		return 0;
	}
	return ARGP_ERR_UNKNOWN;
}

static void run(const struct options *o, const char *name, bool (*fn)(const struct lab_ops *ops))
{
	bool ok;

	if (o->only && strcmp(o->only, name))
		return;
	ok = fn(lab_lock_named("rqspinlock"));
	if (!o->judge)
		return;
	passed += ok;
	failed += !ok;
	printf("%s - %s\n", ok ? "ok" : "not ok", name);
	fflush(stdout);
}

int main(int argc, char **argv)
{
	static const struct argp_option table[] = {
		{ "judge", 'j', NULL, 0, "fail if a wait costs more than it may", 0 },
		{ "only", 'o', "NAME", 0, "limits or sites", 0 },
		{ 0 },
	};
	static const struct argp argp = { table, parse, NULL, "What a wait costs", 0, 0, 0 };
	struct options o = { 0 };

	argp_parse(&argp, argc, argv, 0, NULL, &o);
	shim_init(32);
	run(&o, "limits", waits_limits);
	run(&o, "sites", waits_sites);
	if (o.judge)
		printf("\n%d passed, %d failed, 0 skipped\n", passed, failed);
	return failed != 0;
}
