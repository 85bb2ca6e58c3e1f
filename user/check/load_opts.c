// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/grow.h"
#include "base/opts.h"
#include "check/load_opts.h"
#include "check/progtype.h"

enum { KEY_TYPE = 0x2000, KEY_RODATA, KEY_TIME };

static const struct argp_option options[] = {
	{ "type", KEY_TYPE, "[PROGRAM=]TYPE", 0,
	  "Type of programs whose section does not tell it, such as xdp or tc", 2 },
	{ "rodata", KEY_RODATA, "NAME=VALUE", 0,
	  "Value of a constant that the object's own loader sets before it loads; without this "
	  "option all values are possible",
	  2 },
	{ "load-time", KEY_TIME, "TIME", 0,
	  "CPU time that the kernel may need for one object (300s); what needs more is not looked at",
	  2 },
	{ 0 },
};

static void type_add(struct load_opts *opts, const struct argp_state *state, char *arg)
{
	char *equals = strchr(arg, '=');
	struct load_type one = { .prog = equals ? arg : NULL };

	if (equals)
		*equals = 0;
	one.type = progtype_named(equals ? equals + 1 : arg, &one.attach);
	if (!one.type)
		opts_error(state, "--type %s: no type of programs; 'bpftool prog help' lists them",
			   equals ? equals + 1 : arg);
	if (grow_append((void **)&opts->types, &opts->nr_types, &one, sizeof(one)))
		opts_error(state, "out of memory");
}

static bool value_parse(const char *text, long long *value)
{
	char *end;

	if (!strcmp(text, "true") || !strcmp(text, "false")) {
		*value = !strcmp(text, "true");
		return true;
	}
	errno = 0;
	*value = *text == '-' ? strtoll(text, &end, 0) : (long long)strtoull(text, &end, 0);
	return *text && !*end && !errno;
}

/* "name", "name[3]" */
static bool name_parse(char *text, unsigned long *index)
{
	char *bracket = strchr(text, '['), *end;

	if (!bracket)
		return *text;
	*bracket = 0;
	errno = 0;
	*index = strtoul(bracket + 1, &end, 0);
	return *text && end != bracket + 1 && !strcmp(end, "]") && !errno;
}

static void value_add(struct load_opts *opts, const struct argp_state *state, char *arg)
{
	char *equals = strchr(arg, '=');
	struct load_value one = {};

	if (!equals || !value_parse(equals + 1, &one.value))
		opts_error(state, "--rodata %s: NAME=NUMBER, NAME[INDEX]=NUMBER or NAME=true", arg);
	one.name = strndup(arg, equals - arg);
	if (one.name && !name_parse(one.name, &one.index))
		opts_error(state, "--rodata %s: not the name of a variable", arg);
	if (!one.name || grow_append((void **)&opts->values, &opts->nr_values, &one, sizeof(one)))
		opts_error(state, "out of memory");
}

static error_t load_opts_parse(int key, char *arg, struct argp_state *state)
{
	struct load_opts *opts = state->input;

	switch (key) {
	case ARGP_KEY_INIT:
		opts->seconds = LOAD_SECONDS;
		return 0;
	case KEY_TIME:
		if (opt_seconds(arg, &opts->seconds))
			opts_error(state, "--load-time %s: a time such as 10s or 5m", arg);
		return 0;
	case KEY_TYPE:
		type_add(state->input, state, arg);
		return 0;
	case KEY_RODATA:
		value_add(state->input, state, arg);
		return 0;
	}
	return ARGP_ERR_UNKNOWN;
}

const struct argp load_argp = { .options = options, .parser = load_opts_parse };

const struct load_type *load_opts_type(struct load_opts *opts, const char *prog)
{
	struct load_type *found = NULL;

	for (size_t i = 0; i < opts->nr_types; i++) {
		struct load_type *one = &opts->types[i];
		bool named = one->prog && !strcmp(one->prog, prog);

		if (named || (!one->prog && (!found || !found->prog)))
			found = one;
	}
	if (found)
		found->used = true;
	return found;
}

void load_opts_free(struct load_opts *opts)
{
	for (size_t i = 0; i < opts->nr_values; i++)
		free(opts->values[i].name);
	free(opts->values);
	free(opts->types);
	*opts = (struct load_opts){};
}
