// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* What the lock costs while nothing goes wrong. */
#include <argp.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/utsname.h>

#include "../lib/team.h"
#include "contend.h"
#include "crowd.h"
#include "figures.h"
#include "pairs.h"

struct options {
	const char *json;
	int rounds;
};

static json_t *environment(void)
{
	struct utsname u;

	uname(&u);
	return json_pack("{s:s, s:s, s:i, s:f}", "kernel", u.release, "machine", u.machine, "cpus",
			 lab_cpus(), "tsc_mhz",
			 1000.0 * (double)(1ULL << SHIM_CLOCK_SHIFT) / shim_clock_mult);
}

static error_t parse(int key, char *arg, struct argp_state *state)
{
	struct options *o = state->input;

	switch (key) {
	case 'j':
		o->json = arg;
		return 0;
	case 'r':
		o->rounds = atoi(arg);
		if (o->rounds < 1)
			argp_error(state, "--rounds: at least 1");
		return 0;
	}
	return ARGP_ERR_UNKNOWN;
}

int main(int argc, char **argv)
{
	static const struct argp_option table[] = {
		{ "json", 'j', "FILE", 0, "write the figures there too", 0 },
		{ "rounds", 'r', "N", 0, "interleaved rounds (default 201)", 0 },
		{ 0 },
	};
	static const struct argp argp = { table, parse, NULL, "Locks side by side", 0, 0, 0 };
	struct options o = { .rounds = 201 };
	json_t *out;

	argp_parse(&argp, argc, argv, 0, NULL, &o);
	shim_init(16);
	out = json_pack("{s:o}", "environment", environment());
	json_object_set_new(out, "uncontended", bench_pairs(o.rounds));
	json_object_set_new(out, "two_threads", bench_contend(o.rounds / 2 + 1));
	json_object_set_new(out, "crowd", bench_crowd(o.rounds / 8 + 1));
	printf("\n%d passed, %d failed, 0 skipped\n", bench_passed, bench_failed);
	if (o.json && json_dump_file(out, o.json, JSON_INDENT(1))) {
		perror(o.json);
		return 1;
	}
	json_decref(out);
	return bench_failed != 0;
}
