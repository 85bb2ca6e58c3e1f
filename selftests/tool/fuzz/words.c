// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Words of a command line, one in each line of the input: as numbers, sizes, times and lists of
 * CPUs, and all together as the filters of trace and stat.
 */
#include <stdlib.h>
#include <string.h>

#include "base/opts.h"
#include "fuzz.h"
#include "events/filter.h"

#define WORDS 32
#define LEAST 3
#define MOST  (1ULL << 40)

static error_t words_parse(int key, char *arg, struct argp_state *state)
{
	(void)arg;
	if (key == ARGP_KEY_INIT)
		state->child_inputs[0] = state->input;
	return ARGP_ERR_UNKNOWN;
}

static const struct argp_child children[] = { { &trace_filter_argp, 0, NULL, 0 }, { 0 } };
static const struct argp argp = { .parser = words_parse, .children = children };

static void words_values(const char *word)
{
	int cpus[OPT_CPUS_MAX], nr = opt_cpus(word, cpus);
	uint64_t number;
	double seconds;

	MUST(nr <= OPT_CPUS_MAX);
	for (int i = 0; i < nr; i++)
		MUST(cpus[i] >= 0);
	if (!opt_u64(word, LEAST, MOST, &number))
		MUST(number >= LEAST && number <= MOST);
	if (!opt_size(word, LEAST, MOST, &number))
		MUST(number >= LEAST && number <= MOST);
	if (!opt_seconds(word, &seconds))
		MUST(seconds >= 0);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	char *text = malloc(size + 1), *rest = text, *argv[WORDS + 2] = { "rqspin" };
	struct trace_filter filter = { 0 };
	int argc = 1;

	if (!text)
		return 0;
	memcpy(text, data, size);
	text[size] = 0;
	while (argc <= WORDS && (argv[argc] = strsep(&rest, "\n")))
		words_values(argv[argc++]);
	argv[argc] = NULL;
	argp_parse(&argp, argc, argv, ARGP_NO_EXIT | ARGP_NO_ERRS | ARGP_NO_HELP, NULL, &filter);
	free(text);
	return 0;
}
