// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include <ctype.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/json_out.h"
#include "base/log.h"
#include "base/whole_file.h"
#include "check/baseline.h"

#define SCHEMA	 "rqspin-check-baseline/1"
#define FILE_MAX (64 << 20)
#define FNV_SEED 0xcbf29ce484222325ULL

/*
 * FNV-1a of the text, and of an end that no text has. The number in "(map 36)" is left out: it
 * changes with each run.
 */
static __u64 mix_text(__u64 h, const char *s)
{
	bool map = false;

	for (s = s ?: ""; *s; s++) {
		if (!strncmp(s, "(map ", 5))
			map = true;
		map &= *s != ')';
		if (!map || !isdigit((unsigned char)*s))
			h = (h ^ (unsigned char)*s) * 0x100000001b3ULL;
	}
	return (h ^ 0xff) * 0x100000001b3ULL;
}

static const char *base_name(const char *path)
{
	const char *slash = path ? strrchr(path, '/') : NULL;

	return slash ? slash + 1 : path;
}

/* Folders and line numbers are not part of the identity: they change. */
static void finding_identify(struct finding *one)
{
	__u64 h = mix_text(FNV_SEED, one->kind);

	h = mix_text(h, base_name(one->at.object));
	h = mix_text(h, one->at.prog);
	h = mix_text(h, one->message);
	for (size_t i = 0; i < one->nr_stages; i++)
		h = mix_text(h, one->stages[i].message);
	snprintf(one->id, sizeof(one->id), "%016llx", (unsigned long long)h);
}

void baseline_identify(struct findings *f)
{
	for (size_t i = 0; i < f->nr; i++)
		finding_identify(&f->all[i]);
}

static bool findings_mark_known(struct findings *f, const char *id)
{
	for (size_t i = 0; i < f->nr; i++)
		if (!f->all[i].known && !strcmp(f->all[i].id, id))
			return f->all[i].known = true;
	return false;
}

static json_t *list_of(const json_t *j)
{
	const char *schema = json_string_value(json_object_get(j, "schema"));
	json_t *list = json_object_get(j, "findings");

	return schema && !strcmp(schema, SCHEMA) && json_is_array(list) ? list : NULL;
}

static int match_list(const char *path, const json_t *list, struct findings *f, size_t *gone)
{
	const json_t *one;
	size_t i;

	*gone = 0;
	json_array_foreach(list, i, one) {
		const char *id = json_string_value(json_object_get(one, "id"));

		if (!id) {
			pr_err("--baseline %s: finding %zu has no \"id\"", path, i + 1);
			return -EBADMSG;
		}
		*gone += !findings_mark_known(f, id);
	}
	return 0;
}

/* Refuse devices, and files larger than any check has written. */
static json_t *read_file(const char *path, json_error_t *error)
{
	FILE *in = whole_file_plain(path) ? fopen(path, "r") : NULL;
	json_t *j = NULL;

	snprintf(error->text, sizeof(error->text), "%s", in ? "too large" : "not a file");
	if (!in && whole_file_plain(path))
		snprintf(error->text, sizeof(error->text), "%s", strerror(errno));
	if (in && !fseek(in, 0, SEEK_END) && ftell(in) <= FILE_MAX) {
		rewind(in);
		j = json_loadf(in, 0, error);
	}
	if (in)
		fclose(in);
	return j;
}

int baseline_match(const char *path, struct findings *f, size_t *gone)
{
	json_error_t error = {};
	json_t *j = read_file(path, &error), *list = list_of(j);
	int err = -EBADMSG;

	if (!j)
		pr_err("--baseline %s: %s", path, error.text);
	else if (!list)
		pr_err("--baseline %s: not what --write-baseline writes (schema " SCHEMA ")", path);
	else
		err = match_list(path, list, f, gone);
	json_decref(j);
	return err;
}

static json_t *finding_json(const struct finding *one)
{
	return json_pack("{s:s, s:s, s:o, s:o, s:o}", "id", one->id, "kind", one->kind, "object",
			 json_text(base_name(one->at.object)), "program", json_text(one->at.prog),
			 "message", json_text(one->message));
}

int baseline_write(const char *path, struct findings *f)
{
	json_t *list = json_array();
	char *text;
	int err;

	for (size_t i = 0; i < f->nr; i++) {
		json_array_append_new(list, finding_json(&f->all[i]));
		f->all[i].known = true;
	}
	list = json_pack("{s:s, s:o}", "schema", SCHEMA, "findings", list);
	text = json_dumps(list, JSON_INDENT(2) | JSON_PRESERVE_ORDER);
	err = text ? whole_file_replace(path, text, strlen(text)) : -ENOMEM;
	if (err)
		pr_err("--write-baseline %s: %s", path, strerror(-err));
	free(text);
	json_decref(list);
	return err == -EINVAL ? -EIO : err;
}
