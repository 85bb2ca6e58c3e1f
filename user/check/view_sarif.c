// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/json_out.h"
#include "check/view_sarif.h"
#include "check/view_text.h"

static json_t *sarif_message(const char *text)
{
	return json_pack("{s:o}", "text", json_text(text));
}

static bool is_plain(unsigned char c)
{
	return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
	       (c && strchr("-._~/", c));
}

/* A path as RFC 3986 wants it; a relative one stays relative, to the checkout for example. */
static json_t *sarif_uri(const char *path)
{
	char *text = malloc(strlen("file://") + 3 * strlen(path) + 1), *end = text;
	json_t *j;

	if (!text)
		return json_null();
	if (*path == '/')
		end = stpcpy(end, "file://");
	for (; *path; path++)
		end += sprintf(end, is_plain(*path) ? "%c" : "%%%02X", (unsigned char)*path);
	*end = 0;
	j = json_string(text);
	free(text);
	return j;
}

static json_t *sarif_physical(const struct place *at)
{
	json_t *artifact = json_pack("{s:o}", "uri", sarif_uri(at->file ?: at->object));

	if (!at->file)
		return json_pack("{s:o}", "artifactLocation", artifact);
	return json_pack("{s:o, s:{s:i}}", "artifactLocation", artifact, "region", "startLine",
			 (int)at->line);
}

/* A program in the kernel without line information is in no file. */
static json_t *sarif_location(const struct place *at)
{
	json_t *l = json_object();

	if (at->file || at->object)
		json_object_set_new(l, "physicalLocation", sarif_physical(at));
	if (at->prog)
		json_object_set_new(
			l, "logicalLocations",
			json_pack("[{s:o, s:s}]", "name", json_text(at->prog), "kind", "function"));
	return l;
}

/* A finding about all programs has no location. */
static json_t *sarif_locations(const struct place *at)
{
	if (!at->file && !at->object && !at->prog)
		return json_array();
	return json_pack("[o]", sarif_location(at));
}

static json_t *sarif_related(const struct finding *f)
{
	json_t *list = json_array();

	for (size_t i = 0; i < f->nr_stages; i++) {
		json_t *l = sarif_location(&f->stages[i].at);

		json_object_set_new(l, "message", sarif_message(f->stages[i].message));
		json_array_append_new(list, l);
	}
	return list;
}

static json_t *sarif_result(const struct finding *f, bool baseline)
{
	char *text = NULL;
	json_t *j;

	if (asprintf(&text, "%s%s%s", f->message, f->fix ? ". Fix: " : "", f->fix ?: "") < 0)
		return NULL;
	j = json_pack("{s:s, s:s, s:o, s:o, s:o}", "ruleId", f->kind, "level",
		      severity_name(f->severity), "message", sarif_message(text), "locations",
		      sarif_locations(&f->at), "relatedLocations", sarif_related(f));
	free(text);
	json_object_set_new(j, "partialFingerprints", json_pack("{s:s}", "rqspin/v1", f->id));
	if (baseline)
		json_object_set_new(j, "baselineState",
				    json_string(f->known ? "unchanged" : "new"));
	return j;
}

static json_t *sarif_rules(const struct findings *f)
{
	json_t *list = json_array();

	for (size_t i = 0; i < f->nr; i++) {
		size_t j = 0;

		while (j < i && strcmp(f->all[j].kind, f->all[i].kind))
			j++;
		if (j == i)
			json_array_append_new(
				list,
				json_pack("{s:s, s:o}", "id", f->all[i].kind, "shortDescription",
					  sarif_message(finding_about(f->all[i].kind))));
	}
	return list;
}

void check_print_sarif(const struct check_result *r, const char *version)
{
	json_t *results = json_array();

	for (size_t i = 0; i < r->findings.nr; i++)
		json_array_append_new(results,
				      sarif_result(&r->findings.all[i], r->findings.baseline));
	json_put_pretty(json_pack("{s:s, s:s, s:[{s:{s:{s:s, s:s, s:o}}, s:o}]}", "$schema",
				  "https://json.schemastore.org/sarif-2.1.0.json", "version",
				  "2.1.0", "runs", "tool", "driver", "name", "rqspin", "version",
				  version, "rules", sarif_rules(&r->findings), "results", results));
}
