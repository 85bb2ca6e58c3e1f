// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include <argp.h>
#include <jansson.h>
#include <stdio.h>

#include "cmd.h"
#include "samples.h"
#include "tables.h"
#include "version.h"

static void add_options(json_t *list, const struct argp *argp)
{
	const struct argp_option *o = argp->options;

	for (; o && (o->name || o->doc); o++) {
		char key[2] = { o->key > ' ' && o->key < 127 ? o->key : 0, 0 };

		if (!o->name || (o->flags & OPTION_HIDDEN))
			continue;
		json_array_append_new(
			list, json_pack("{s:s, s:s*, s:s*, s:b, s:s*}", "name", o->name, "key",
					key[0] ? key : NULL, "arg", o->arg, "optional",
					!!(o->flags & OPTION_ARG_OPTIONAL), "doc", o->doc));
	}
	for (const struct argp_child *c = argp->children; c && c->argp; c++)
		add_options(list, c->argp);
}

static json_t *cmd_json(const struct cmd *cmd)
{
	json_t *options = json_array();

	add_options(options, cmd->argp);
	return json_pack("{s:s, s:s, s:s*, s:s*, s:o}", "name", cmd->name, "summary", cmd->summary,
			 "args", cmd->argp->args_doc, "doc", cmd->argp->doc, "options", options);
}

void tables_dump(const struct cmd *const *cmds, size_t nr)
{
	json_t *verbs = json_array(), *list = json_array(), *root;

	for (size_t i = 0; i < nr; i++)
		json_array_append_new(verbs, cmd_json(cmds[i]));
	for (size_t i = 0; i < nr_samples; i++)
		json_array_append_new(list, json_pack("{s:s, s:s}", "name", samples[i].name,
						      "shows", samples[i].shows));
	root = json_pack("{s:s, s:s, s:o, s:o}", "schema", "rqspin-tables/1", "version",
			 RQSPIN_VERSION, "verbs", verbs, "samples", list);
	json_dumpf(root, stdout, JSON_INDENT(2));
	putchar('\n');
	json_decref(root);
}
