// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Cost of the lock without deadlocks and timeouts. */
#include <argp.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/utsname.h>

#include "../lib/team.h"
#include "../../locks/locks.h"
#include "contend.h"
#include "crowd.h"
#include "figures.h"
#include "pairs.h"

struct options {
	const char *json, *part;
	int rounds;
};

static const struct part {
	const char *name;
	json_t *(*run)(int rounds);
	int share; /* divides the number of rounds */
} parts[] = {
	{ "uncontended", bench_pairs, 1 },
	{ "two-threads", bench_contend, 2 },
	{ "crowd", bench_crowd, 50 }, /* a second for each lock */
};

/* The locks that are measured, for --help: the caller frees the text. */
static char *locks_help(int key, const char *text, void *input)
{
	char *out = NULL;
	size_t size;
	FILE *f;
	int i;

	if (key != ARGP_KEY_HELP_POST_DOC)
		return (char *)text;
	f = open_memstream(&out, &size);
	if (!f)
		return NULL;
	fprintf(f, "Locks:\n");
	for (i = 0; lab_locks[i]; i++)
		fprintf(f, "  %-20s %s\n", lab_locks[i]->name, lab_locks[i]->about);
	fclose(f);
	return out;
}

static json_t *bench_environment(void)
{
	struct utsname u;

	uname(&u);
	return json_pack("{s:s, s:s, s:i, s:f}", "kernel", u.release, "machine", u.machine, "cpus",
			 lab_cpus(), "tsc_mhz",
			 1000.0 * (double)(1ULL << SHIM_CLOCK_SHIFT) / shim_clock_mult);
}

static error_t bench_parse(int key, char *arg, struct argp_state *state)
{
	struct options *o = state->input;

	switch (key) {
	case 'j':
		o->json = arg;
		return 0;
	case 'p':
		o->part = arg;
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
		{ "part", 'p', "PART", 0, "one of uncontended, two-threads, crowd", 0 },
		{ "rounds", 'r', "N", 0, "interleaved rounds (default 201)", 0 },
		{ 0 },
	};
	static const struct argp argp = { .options = table,
					  .parser = bench_parse,
					  .doc = "Locks side by side",
					  .help_filter = locks_help };
	struct options o = { .rounds = 201 };
	json_t *out;
	size_t i;

	argp_parse(&argp, argc, argv, 0, NULL, &o);
	shim_init(16);
	out = json_pack("{s:o}", "environment", bench_environment());
	for (i = 0; i < ARRAY_SIZE(parts); i++) {
		if (!o.part || !strcmp(o.part, parts[i].name))
			json_object_set_new(out, parts[i].name,
					    parts[i].run(o.rounds / parts[i].share + 1));
	}
	if (!o.part || !strcmp(o.part, parts[0].name))
		bench_known_are_judged();
	printf("\n%d passed, %d failed, 0 skipped, %d missed as known\n", bench_passed,
	       bench_failed, bench_expected);
	if (o.json && json_dump_file(out, o.json, JSON_INDENT(1))) {
		perror(o.json);
		return 1;
	}
	json_decref(out);
	return bench_failed != 0;
}
