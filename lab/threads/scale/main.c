// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* One object of JSON: operations per second of each test with each number of threads. */
#include <argp.h>
#include <err.h>
#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "run.h"

enum { KEY_WARM_UP = 256, KEY_LIST };

static const struct argp_option options[] = {
	{ "test", 't', "NAME", 0, "only this one; may be given several times", 0 },
	{ "threads", 'n', "N,...", 0, "numbers of threads (default 1,2)", 0 },
	{ "seconds", 's', "S", 0, "for how long each (default 5)", 0 },
	{ "warm-up", KEY_WARM_UP, "S", 0, "not counted, before that (default 1)", 0 },
	{ "folder", 'f', "PATH", 0, "where the files are (default /tmp)", 0 },
	{ "list", KEY_LIST, NULL, 0, "print the tests, a line each", 0 },
	{ 0 },
};

struct options {
	struct run_options run;
	bool wanted[16], some;
	const char *threads;
};

static double parse_number(const char *arg, double least, double most, struct argp_state *state)
{
	char *end;
	double x = strtod(arg, &end);

	if (end == arg || *end || !(x >= least && x <= most))
		argp_error(state, "'%s' is no number from %g to %g", arg, least, most);
	return x;
}

static void test_want(struct options *o, const char *name, struct argp_state *state)
{
	int i;

	for (i = 0; tests[i].name && strcmp(tests[i].name, name); i++)
		;
	if (!tests[i].name)
		argp_error(state, "no test '%s'; --list shows them", name);
	o->wanted[i] = o->some = true;
}

static void tests_list(void)
{
	int i;

	for (i = 0; tests[i].name; i++)
		printf("%s\t%s\n", tests[i].name, tests[i].about);
	exit(0);
}

static error_t scale_parse(int key, char *arg, struct argp_state *state)
{
	struct options *o = state->input;

	switch (key) {
	case 't':
		test_want(o, arg, state);
		break;
	case 'n':
		o->threads = arg;
		break;
	case 's':
		o->run.seconds = parse_number(arg, 0.01, 3600, state);
		break;
	case KEY_WARM_UP:
		o->run.warm_up = parse_number(arg, 0, 3600, state);
		break;
	case 'f':
		o->run.folder = arg;
		break;
	case KEY_LIST:
		tests_list();
		break;
	default:
		return ARGP_ERR_UNKNOWN;
	}
	return 0;
}

/* Returns the number of threads of the next run and advances *list; 0 at the end of the list. */
static int next_count(const char **list)
{
	char *end;
	long n;

	if (!**list)
		return 0;
	n = strtol(*list, &end, 10);
	if (end == *list || (*end && *end != ',') || n < 1 || n > MAX_THREADS)
		errx(2, "'%s' is no list of numbers from 1 to %d", *list, MAX_THREADS);
	*list = *end ? end + 1 : end;
	return (int)n;
}

static json_t *result_row(const struct test *t, const struct run_result *r, int threads)
{
	return json_pack("{s:s, s:i, s:f, s:f, s:f}", "test", t->name, "threads", threads,
			 "per_second", r->per_second, "least", r->least, "most", r->most);
}

static json_t *tests_measure(const struct options *o)
{
	json_t *rows = json_array();
	struct run_result r;
	const char *rest;
	int i, n;

	for (i = 0; tests[i].name; i++) {
		if (o->some && !o->wanted[i])
			continue;
		for (rest = o->threads; (n = next_count(&rest));) {
			run_test(&tests[i], n, &o->run, &r);
			json_array_append_new(rows, result_row(&tests[i], &r, n));
		}
	}
	return json_pack("{s:o}", "rows", rows);
}

int main(int argc, char **argv)
{
	static const struct argp argp = { options, scale_parse, NULL, NULL, NULL, NULL, NULL };
	struct options o = { .run = { 5, 1, "/tmp" }, .threads = "1,2" };
	json_t *out;
	int ret;

	if (argp_parse(&argp, argc, argv, 0, NULL, &o))
		return 2;
	out = tests_measure(&o);
	ret = out ? json_dumpf(out, stdout, JSON_COMPACT) : -1;
	printf("\n");
	json_decref(out);
	return ret || fflush(stdout) ? 1 : 0;
}
