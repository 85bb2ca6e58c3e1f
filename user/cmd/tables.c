// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include <argp.h>
#include <jansson.h>
#include <stdlib.h>

#include "../base/json_out.h"
#include "cmd.h"
#include "../errors/table.h"
#include "examples.h"
#include "../run/samples.h"
#include "../events/sources/table.h"
#include "tables.h"
#include "base/version.h"
#include "words.h"

/* Completion asks for live words when it needs them. */
static json_t *option_words(const struct argp_option *o)
{
	const struct words *words = words_find(o->name);

	if (!words)
		return NULL;
	return words->live ? json_string("live") : words->list(NULL);
}

/* The option's own text lacks the parts of its help that are made from tables. */
static json_t *doc_json(const struct argp *argp, const struct argp_option *o)
{
	char *text = (char *)o->doc;
	json_t *j;

	if (text && argp->help_filter)
		text = argp->help_filter(o->key, text, NULL);
	j = json_text(text);
	if (text != o->doc)
		free(text);
	return j;
}

static void add_options(json_t *list, const struct argp *argp)
{
	const struct argp_option *o = argp->options;

	for (; o && (o->name || o->doc); o++) {
		char key[2] = { o->key > ' ' && o->key < 127 ? o->key : 0, 0 };

		if (!o->name || (o->flags & OPTION_HIDDEN))
			continue;
		json_array_append_new(list, json_pack("{s:s, s:s*, s:s*, s:b, s:o, s:o*}", "name",
						      o->name, "key", key[0] ? key : NULL, "arg",
						      o->arg, "optional",
						      !!(o->flags & OPTION_ARG_OPTIONAL), "doc",
						      doc_json(argp, o), "words", option_words(o)));
	}
	for (const struct argp_child *c = argp->children; c && c->argp; c++)
		add_options(list, c->argp);
}

static json_t *cmd_json(const struct cmd *cmd)
{
	json_t *options = json_array();

	add_options(options, cmd->argp);
	return json_pack("{s:s, s:s, s:s*, s:s*, s:o, s:o}", "name", cmd->name, "summary",
			 cmd->summary, "args", cmd->argp->args_doc, "doc", cmd->argp->doc,
			 "options", options, "examples", examples_json(cmd->name));
}

static json_t *sources_json(void)
{
	json_t *list = json_array();

	for (size_t i = 0; trace_sources[i]; i++)
		json_array_append_new(list, json_pack("{s:s, s:s}", "name", trace_sources[i]->name,
						      "what", trace_sources[i]->what));
	return list;
}

/* The operations of each map type. */
static json_t *map_types_json(void)
{
	json_t *types = map_error_types(), *list = json_array(), *type;
	size_t i;

	json_array_foreach(types, i, type) {
		const char *name = json_string_value(type);

		json_array_append_new(
			list, json_pack("{s:s, s:o}", "name", name, "ops", map_error_ops(name)));
	}
	json_decref(types);
	return list;
}

void tables_dump(const struct cmd *const *cmds, size_t nr)
{
	json_t *verbs = json_array(), *list = json_array(), *root;

	for (size_t i = 0; i < nr; i++)
		json_array_append_new(verbs, cmd_json(cmds[i]));
	for (size_t i = 0; i < nr_samples; i++)
		json_array_append_new(list, json_pack("{s:s, s:s}", "name", samples[i].name,
						      "shows", samples[i].shows));
	root = json_pack("{s:s, s:s, s:o, s:o, s:o, s:o}", "schema", "rqspin-tables/1", "version",
			 RQSPIN_VERSION, "verbs", verbs, "sources", sources_json(), "samples", list,
			 "map_types", map_types_json());
	json_put_pretty(root);
}
