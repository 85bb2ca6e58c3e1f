// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include <ctype.h>
#include <errno.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/escape.h"
#include "base/log.h"
#include "base/opts.h"

static const struct argp_option json_options[] = {
	{ "json", 'j', NULL, 0, "Print JSON on standard output", 100 },
	{ 0 },
};

static const struct argp_option talk_options[] = {
	{ "verbose", 'v', NULL, 0, "Print more messages on standard error; -vv adds libbpf's",
	  100 },
	{ NULL, 'h', NULL, 0, "Same as --help", -1 },
	{ 0 },
};

static error_t parse_json(int key, char *arg, struct argp_state *state)
{
	bool *json = state->input;

	(void)arg;
	if (key != 'j')
		return ARGP_ERR_UNKNOWN;
	*json = true;
	return 0;
}

static error_t parse_talk(int key, char *arg, struct argp_state *state)
{
	(void)arg;
	switch (key) {
	case 'h':
		argp_state_help(state, state->out_stream, ARGP_HELP_STD_HELP);
		return 0;
	case 'v':
		log_more();
		return 0;
	}
	return ARGP_ERR_UNKNOWN;
}

error_t opts_parse_none(int key, char *arg, struct argp_state *state)
{
	switch (key) {
	case ARGP_KEY_INIT:
		state->child_inputs[0] = state->input;
		return 0;
	case ARGP_KEY_ARG:
		opts_error(state, "takes no arguments, but got '%s'", arg);
	}
	return ARGP_ERR_UNKNOWN;
}

static char *help_end;

void opts_examples(char *text)
{
	free(help_end);
	help_end = text;
}

/* argp frees the text that it gets. */
static char *help_filter(int key, const char *text, void *input)
{
	(void)input;
	if (key != ARGP_KEY_HELP_EXTRA)
		return (char *)text;
	return help_end ? strdup(help_end) : NULL;
}

const struct argp opts_talk = { .options = talk_options,
				.parser = parse_talk,
				.help_filter = help_filter };
static const struct argp_child talk[] = { { &opts_talk, 0, NULL, 0 }, { 0 } };
const struct argp opts_common = { .options = json_options, .parser = parse_json, .children = talk };
const struct argp_child opts_only_common[] = { { &opts_common, 0, NULL, 0 }, { 0 } };

void opts_error(const struct argp_state *state, const char *fmt, ...)
{
	char text[1024];
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(text, sizeof(text), fmt, ap);
	va_end(ap);
	argp_error(state, "%s", escaped(text));
}

int opt_u64(const char *text, uint64_t min, uint64_t max, uint64_t *val)
{
	unsigned long long v;
	char *end;

	/* strtoull takes "-1" for a large number. */
	if (!isdigit((unsigned char)*text))
		return -EINVAL;
	errno = 0;
	v = strtoull(text, &end, 10);
	if (*end)
		return -EINVAL;
	if (errno || v < min || v > max)
		return -ERANGE;
	*val = v;
	return 0;
}

int opt_size(const char *text, uint64_t min, uint64_t max, uint64_t *val)
{
	static const char units[] = "KMG";
	size_t len = strlen(text);
	const char *unit = len ? strchr(units, toupper((unsigned char)text[len - 1])) : NULL;
	unsigned int shift = unit ? 10 * (unit - units + 1) : 0;
	char digits[24] = "";
	uint64_t v;
	int err;

	if (len >= sizeof(digits))
		return -EINVAL;
	memcpy(digits, text, len - !!unit);
	err = opt_u64(digits, 0, UINT64_MAX >> shift, &v);
	if (err)
		return err;
	v <<= shift;
	if (v < min || v > max)
		return -ERANGE;
	*val = v;
	return 0;
}

int opt_seconds(const char *text, double *val)
{
	static const struct {
		const char *suffix;
		double factor;
	} units[] = { { "", 1 }, { "s", 1 }, { "ms", 1e-3 }, { "m", 60 }, { "h", 3600 } };
	char *end;
	double v;

	if (!isdigit((unsigned char)*text) && *text != '.')
		return -EINVAL;
	v = strtod(text, &end);
	for (size_t i = 0; i < sizeof(units) / sizeof(units[0]); i++) {
		if (strcmp(end, units[i].suffix))
			continue;
		v *= units[i].factor;
		if (!isfinite(v) || v <= 0 || v > 1e9)
			return -ERANGE;
		*val = v;
		return 0;
	}
	return -EINVAL;
}

static int parse_range(const char **text, long *first, long *last)
{
	char *end;

	if (!isdigit((unsigned char)**text))
		return -EINVAL;
	*first = *last = strtol(*text, &end, 10);
	if (*end == '-') {
		if (!isdigit((unsigned char)end[1]))
			return -EINVAL;
		*last = strtol(end + 1, &end, 10);
	}
	if (*end != ',' && *end)
		return -EINVAL;
	*text = *end ? end + 1 : end;
	if (*end && !**text)
		return -EINVAL;
	if (*last < *first)
		return -EINVAL;
	return *last < OPT_CPUS_MAX ? 0 : -ERANGE;
}

int opt_cpus(const char *text, int cpus[OPT_CPUS_MAX])
{
	bool seen[OPT_CPUS_MAX] = { false };
	int list[OPT_CPUS_MAX];
	int nr = 0;

	do {
		long first, last;
		int err = parse_range(&text, &first, &last);

		if (err)
			return err;
		for (; first <= last; first++) {
			if (seen[first])
				return -EEXIST;
			seen[first] = true;
			list[nr++] = first;
		}
	} while (*text);
	memcpy(cpus, list, nr * sizeof(*list));
	return nr;
}
