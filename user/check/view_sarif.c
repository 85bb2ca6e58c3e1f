// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include <stdio.h>
#include <string.h>

#include "base/json_out.h"
#include "check/view_sarif.h"
#include "check/view_text.h"

static json_t *message(const char *text)
{
	return json_pack("{s:o}", "text", json_text(text));
}

static json_t *physical(const struct place *at)
{
	json_t *artifact = json_pack("{s:o}", "uri", json_text(at->file ?: at->object));

	if (!at->file)
		return json_pack("{s:o}", "artifactLocation", artifact);
	return json_pack("{s:o, s:{s:i}}", "artifactLocation", artifact, "region", "startLine",
			 (int)at->line);
}

/* A program in the kernel without line information is in no file. */
static json_t *location(const struct place *at)
{
	json_t *l = json_object();

	if (at->file || at->object)
		json_object_set_new(l, "physicalLocation", physical(at));
	if (at->prog)
		json_object_set_new(
			l, "logicalLocations",
			json_pack("[{s:o, s:s}]", "name", json_text(at->prog), "kind", "function"));
	return l;
}

static json_t *related(const struct finding *f)
{
	json_t *list = json_array();

	for (size_t i = 0; i < f->nr_stages; i++) {
		json_t *l = location(&f->stages[i].at);

		json_object_set_new(l, "message", message(f->stages[i].message));
		json_array_append_new(list, l);
	}
	return list;
}

static json_t *result(const struct finding *f)
{
	char text[1024];

	snprintf(text, sizeof(text), "%s%s%s", f->message, f->fix ? ". Fix: " : "", f->fix ?: "");
	return json_pack("{s:s, s:s, s:o, s:[o], s:o}", "ruleId", f->kind, "level",
			 severity_name(f->severity), "message", message(text), "locations",
			 location(&f->at), "relatedLocations", related(f));
}

static json_t *rules(const struct findings *f)
{
	json_t *list = json_array();

	for (size_t i = 0; i < f->nr; i++) {
		size_t j = 0;

		while (j < i && strcmp(f->all[j].kind, f->all[i].kind))
			j++;
		if (j == i)
			json_array_append_new(list, json_pack("{s:s}", "id", f->all[i].kind));
	}
	return list;
}

void check_print_sarif(const struct check_result *r, const char *version)
{
	json_t *results = json_array();

	for (size_t i = 0; i < r->findings.nr; i++)
		json_array_append_new(results, result(&r->findings.all[i]));
	json_put_pretty(json_pack("{s:s, s:s, s:[{s:{s:{s:s, s:s, s:o}}, s:o}]}", "$schema",
				  "https://json.schemastore.org/sarif-2.1.0.json", "version",
				  "2.1.0", "runs", "tool", "driver", "name", "rqspin", "version",
				  version, "rules", rules(&r->findings), "results", results));
}
