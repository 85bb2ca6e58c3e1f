// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>

#include "cmd.h"
#include "../base/json_out.h"
#include "../base/opts.h"
#include "../run/samples.h"

static const struct argp argp = {
	.parser = opts_parse_none,
	.doc = "List the sample programs that 'rqspin run' knows.",
	.children = opts_only_common,
};

static json_t *sample_json(const struct sample *s)
{
	char *path = sample_object(s->name);
	json_t *roles = json_array(), *o;

	for (unsigned int i = 0; i < sample_nr_roles(s); i++)
		json_array_append_new(roles, json_string(s->roles[i]));
	o = json_pack("{s:s, s:s, s:s, s:s, s:b, s:o, s:b, s:i, s:s, s:o}", "name", s->name,
		      "shows", s->shows, "type", s->type, "needs", s->needs, "by_hand", s->by_hand,
		      "roles", roles, "role_per_cpu", s->role_per_cpu, "min_cpus", (int)s->min_cpus,
		      "expect", s->expect, "object", json_text(path));
	free(path);
	return o;
}

static void print_json(void)
{
	json_t *list = json_array(), *root;

	for (size_t i = 0; i < nr_samples; i++)
		json_array_append_new(list, sample_json(&samples[i]));
	root = json_pack("{s:s, s:o}", "schema", "rqspin-list/1", "samples", list);
	json_put_pretty(root);
}

static void print_text(void)
{
	printf("%-18s %-14s %4s  %s\n", "SAMPLE", "TYPE", "CPUS", "SHOWS");
	for (size_t i = 0; i < nr_samples; i++) {
		const struct sample *s = &samples[i];

		printf("%-18s %-14s %3u%s  %s%s%s%s%s\n", s->name, s->type, s->min_cpus,
		       s->role_per_cpu ? "+" : " ", s->shows, s->needs[0] ? "; needs " : "",
		       s->needs,
		       s->needs[0] && s->by_hand ? "," :
		       s->by_hand		 ? ";" :
						   "",
		       s->by_hand ? " run by hand (see the comment at the top of its source)" : "");
	}
}

static int cmd_list_run(int argc, char **argv)
{
	bool json = false;

	argp_parse(&argp, argc, argv, 0, NULL, &json);
	if (json)
		print_json();
	else
		print_text();
	return EXIT_OK;
}

const struct cmd cmd_list = { "list", "list the sample programs", &argp, cmd_list_run };
