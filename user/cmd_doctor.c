// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include <jansson.h>
#include <stdio.h>
#include <string.h>

#include "cmd.h"
#include "doctor.h"
#include "log.h"
#include "opts.h"
#include "probe.h"
#include "trace.h"

#define DETAIL_SIZE 200

static const struct argp_child children[] = { { &opts_common, 0, NULL, 0 }, { 0 } };

static error_t parse(int key, char *arg, struct argp_state *state)
{
	switch (key) {
	case ARGP_KEY_INIT:
		state->child_inputs[0] = state->input;
		return 0;
	case ARGP_KEY_ARG:
		argp_error(state, "takes no arguments, but got '%s'", arg);
	}
	return ARGP_ERR_UNKNOWN;
}

static const struct argp argp = {
	.parser = parse,
	.doc = "Find out what this kernel and this user can do, by doing it; what each missing "
	       "thing costs, and how to get it.\vMeasures some AA deadlocks on a lock of its own. "
	       "Exits with 0 if resilient locks can be used, with 3 if not.",
	.children = children,
};

static const char *const state_names[] = {
	[CHECK_YES] = "yes", [CHECK_NO] = "no", [CHECK_UNKNOWN] = "unknown"
};

static void print_check(const struct check *c, enum check_state state, const char *detail)
{
	const char *shown = c->value && state != CHECK_UNKNOWN ? "" : state_names[state];

	printf("%-30s %-*s%s\n", c->title, detail[0] && *shown ? 8 : 0, shown, detail);
	if (state != CHECK_NO || !c->costs)
		return;
	printf("%-30s %-8scosts: %s\n", "", "", c->costs);
	printf("%-30s %-8smend:  %s\n", "", "", check_mend(c));
}

static json_t *check_json(const struct check *c, enum check_state state, const char *detail)
{
	bool no = state == CHECK_NO;

	return json_pack("{s:s, s:s, s:o, s:s, s:b, s:s?, s:s?}", "id", c->id, "title", c->title,
			 "available", state == CHECK_UNKNOWN ? json_null() : json_boolean(!no),
			 "detail", detail, "needed", c->needed, "costs", no ? c->costs : NULL,
			 "mend", no ? check_mend(c) : NULL);
}

static void print_sources(void)
{
	for (size_t i = 0; i < nr_trace_sources; i++) {
		char title[40], why[DETAIL_SIZE] = "";
		bool usable = trace_sources[i]->usable(why, sizeof(why));

		snprintf(title, sizeof(title), "trace source %s", trace_sources[i]->name);
		printf("%-30s %-8s%s\n", title, usable ? "yes" : "no",
		       usable ? trace_sources[i]->what : why);
	}
}

static json_t *sources_json(void)
{
	json_t *list = json_array();

	for (size_t i = 0; i < nr_trace_sources; i++) {
		char why[DETAIL_SIZE] = "";
		bool usable = trace_sources[i]->usable(why, sizeof(why));

		json_array_append_new(
			list, json_pack("{s:s, s:b, s:s}", "name", trace_sources[i]->name, "usable",
					usable, "detail", usable ? trace_sources[i]->what : why));
	}
	return list;
}

static void print_json(json_t *list, bool usable)
{
	json_t *root = json_pack("{s:s, s:b, s:o, s:o}", "schema", "rqspin-doctor/1", "usable",
				 usable, "checks", list, "trace_sources", sources_json());

	json_dumpf(root, stdout, JSON_INDENT(2));
	putchar('\n');
	json_decref(root);
}

static int run(int argc, char **argv)
{
	bool json = false, usable = true;
	char detail[DETAIL_SIZE];
	json_t *list;

	argp_parse(&argp, argc, argv, 0, NULL, &json);
	list = json_array();
	for (size_t i = 0; i < nr_checks; i++) {
		enum check_state state = checks[i].look(detail, sizeof(detail));

		usable &= state == CHECK_YES || !checks[i].needed;
		if (json)
			json_array_append_new(list, check_json(&checks[i], state, detail));
		else
			print_check(&checks[i], state, detail);
	}
	if (json)
		print_json(list, usable);
	else
		print_sources();
	if (!usable) {
		fflush(stdout);
		pr_err("resilient locks cannot be used here; see the lines with 'no' above");
	}
	if (!json)
		json_decref(list);
	return usable ? EXIT_OK : EXIT_UNSUPPORTED;
}

const struct cmd cmd_doctor = { "doctor", "say what this kernel can do", &argp, run };
