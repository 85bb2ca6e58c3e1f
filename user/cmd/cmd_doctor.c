// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include <jansson.h>
#include <stdio.h>
#include <string.h>

#include "cmd.h"
#include "../doctor/checks.h"
#include "../base/escape.h"
#include "../base/json_out.h"
#include "../base/log.h"
#include "../base/opts.h"
#include "../kernel/probe.h"
#include "../events/sources/table.h"

#define DETAIL_SIZE 200

static const struct argp argp = {
	.parser = opts_parse_none,
	.doc = "Try what this kernel lets this user do. For each missing feature, show what it "
	       "costs and how to get it.\vMeasures a few AA deadlocks on its own lock. Exits "
	       "with 0 if resilient locks can be used, otherwise with 3.",
	.children = opts_only_common,
};

static const char *const state_names[] = {
	[CHECK_YES] = "yes", [CHECK_NO] = "no", [CHECK_UNKNOWN] = "unknown"
};

static void print_check(const struct check *c, enum check_state state, const char *detail)
{
	const char *shown = c->value && state != CHECK_UNKNOWN ? "" : state_names[state];

	printf("%-30s %-*s%s\n", c->title, detail[0] && *shown ? 8 : 0, shown, escaped(detail));
	if (state != CHECK_NO || !c->costs)
		return;
	printf("%-30s %-8seffect: %s\n", "", "", check_costs(c));
	printf("%-30s %-8sfix:   %s\n", "", "", check_fix(c));
}

/* A path may hold any byte. */
static json_t *detail_json(const char *detail)
{
	return *detail ? json_text(detail) : json_string("");
}

static json_t *check_json(const struct check *c, enum check_state state, const char *detail)
{
	bool no = state == CHECK_NO;

	return json_pack("{s:s, s:s, s:o, s:o, s:b, s:s?, s:s?}", "id", c->id, "title", c->title,
			 "available", state == CHECK_UNKNOWN ? json_null() : json_boolean(!no),
			 "detail", detail_json(detail), "needed", c->needed, "costs",
			 no ? check_costs(c) : NULL, "fix", no ? check_fix(c) : NULL);
}

static void print_sources(void)
{
	for (size_t i = 0; trace_sources[i]; i++) {
		char title[40], why[DETAIL_SIZE] = "";
		bool usable = trace_sources[i]->usable(why, sizeof(why));

		snprintf(title, sizeof(title), "trace source %s", trace_sources[i]->name);
		printf("%-30s %-8s%s\n", title, usable ? "yes" : "no",
		       usable ? trace_sources[i]->what : escaped(why));
	}
}

static json_t *sources_json(void)
{
	json_t *list = json_array();

	for (size_t i = 0; trace_sources[i]; i++) {
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
	json_t *root = json_pack("{s:s, s:b, s:o, s:o}", "schema", "rqspin-doctor/2", "usable",
				 usable, "checks", list, "trace_sources", sources_json());

	json_put_pretty(root);
}

static int cmd_doctor_run(int argc, char **argv)
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

const struct cmd cmd_doctor = { "doctor", "say what this kernel can do", &argp, cmd_doctor_run };
