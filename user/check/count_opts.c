// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include <stdio.h>
#include <string.h>

#include "base/opts.h"
#include "base/whole_file.h"
#include "check/baseline.h"
#include "check/count_opts.h"

enum { KEY_ERROR = 0x1200, KEY_BASELINE, KEY_WRITE };

static const struct argp_option options[] = {
	{ "error", KEY_ERROR, "KIND,...", 0,
	  "Count findings of these kinds as errors, such as undecided, or of all kinds: all", 2 },
	{ "baseline", KEY_BASELINE, "FILE", 0,
	  "Print and count only findings that FILE does not have", 2 },
	{ "write-baseline", KEY_WRITE, "FILE", 0,
	  "Write the findings to FILE, for --baseline, and count none of them", 2 },
	{ 0 },
};

static void unknown_kind(const struct argp_state *state, const char *kind, size_t len)
{
	char names[256] = "";
	size_t end = 0;

	for (size_t i = 0; finding_kinds[i].kind && end < sizeof(names); i++)
		end += snprintf(names + end, sizeof(names) - end, " %s", finding_kinds[i].kind);
	opts_error(state, "--error: there is no kind '%.*s'; kinds are:%s, or all", (int)len, kind,
		   names);
}

static void add_kind(const struct argp_state *state, struct count_opts *o, const char *kind,
		     size_t len)
{
	if (len == strlen("all") && !strncmp(kind, "all", len)) {
		o->errors = ~0U;
		return;
	}
	for (size_t i = 0; finding_kinds[i].kind; i++)
		if (strlen(finding_kinds[i].kind) == len &&
		    !strncmp(finding_kinds[i].kind, kind, len)) {
			o->errors |= 1U << i;
			return;
		}
	unknown_kind(state, kind, len);
}

static void add_kinds(const struct argp_state *state, struct count_opts *o, const char *list)
{
	for (;;) {
		size_t len = strcspn(list, ",");

		add_kind(state, o, list, len);
		if (!list[len])
			return;
		list += len + 1;
	}
}

static error_t count_opts_parse(int key, char *arg, struct argp_state *state)
{
	struct count_opts *o = state->input;

	switch (key) {
	case KEY_ERROR:
		add_kinds(state, o, arg);
		return 0;
	case KEY_BASELINE:
		o->baseline = arg;
		return 0;
	case KEY_WRITE:
		o->write = arg;
		if (!whole_file_plain(arg))
			opts_error(state, "--write-baseline %s: not a file", arg);
		return 0;
	}
	return ARGP_ERR_UNKNOWN;
}

const struct argp count_argp = { .options = options, .parser = count_opts_parse };

static void raise_errors(const struct count_opts *o, struct findings *f)
{
	for (size_t i = 0; i < f->nr; i++)
		for (size_t k = 0; finding_kinds[k].kind; k++)
			if (o->errors & 1U << k && !strcmp(finding_kinds[k].kind, f->all[i].kind))
				f->all[i].severity = FINDING_ERROR;
}

int count_apply(const struct count_opts *o, struct findings *f, size_t *gone)
{
	int err = 0;

	*gone = 0;
	f->baseline = o->baseline || o->write;
	raise_errors(o, f);
	baseline_identify(f);
	if (o->baseline)
		err = baseline_match(o->baseline, f, gone);
	return !err && o->write ? baseline_write(o->write, f) : err;
}
