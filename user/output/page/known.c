// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "base/utf8.h"
#include "output/page/known.h"

#define KEPT 10000 /* of each kind */

int known_init(struct known *k)
{
	k->progs = json_object();
	k->maps = json_object();
	return k->progs && k->maps ? 0 : -ENOMEM;
}

void known_free(struct known *k)
{
	json_decref(k->progs);
	json_decref(k->maps);
}

static void learn_name(json_t *names, const json_t *id, const char *name)
{
	const json_t *before;
	char key[24];

	if (!json_is_integer(id) || !*name)
		return;
	snprintf(key, sizeof(key), "%lld", (long long)json_integer_value(id));
	before = json_object_get(names, key);
	if (!before && json_object_size(names) < KEPT)
		json_object_set_new(names, key, json_string(name));
	else if (json_is_string(before) && strcmp(json_string_value(before), name))
		json_object_set_new(names, key, json_null());
}

static void learn_lock(struct known *k, const json_t *lock)
{
	learn_name(k->maps, json_object_get(lock, "map_id"), report_member(lock, "map"));
}

static void learn_locks(struct known *k, const json_t *locks)
{
	for (size_t i = 0; i < json_array_size(locks); i++)
		learn_lock(k, json_array_get(locks, i));
}

static void learn_prog(struct known *k, const json_t *prog)
{
	learn_name(k->progs, json_object_get(prog, "id"), report_member(prog, "name"));
}

void known_learn(struct known *k, const json_t *line)
{
	const json_t *owner = json_object_get(line, "owner");
	const json_t *chain = json_object_get(line, "chain");

	learn_prog(k, json_object_get(line, "prog"));
	learn_lock(k, json_object_get(line, "lock"));
	learn_locks(k, json_object_get(line, "held"));
	learn_lock(k, json_object_get(owner, "wants"));
	learn_locks(k, json_object_get(owner, "held"));
	for (size_t i = 0; i < json_array_size(chain); i++) {
		learn_prog(k, json_object_get(json_array_get(chain, i), "prog"));
		learn_lock(k, json_object_get(json_array_get(chain, i), "wants"));
	}
}

static const char *text_after(const char *text, const char *begins)
{
	size_t len = strlen(begins);

	return strncmp(text, begins, len) ? NULL : text + len;
}

const char *known_better(const struct known *k, const char *text, char buf[REPORT_NAME])
{
	const char *map = text_after(text, REPORT_IN_MAP), *prog = text_after(text, REPORT_PROG_ID);
	const char *name;
	int len;

	name = json_string_value(map  ? json_object_get(k->maps, map) :
				 prog ? json_object_get(k->progs, prog) :
					NULL);
	if (!name)
		return text;
	len = snprintf(buf, REPORT_NAME, "%s", map ? REPORT_IN_MAP : "");
	utf8_copy(buf + len, REPORT_NAME - len, name);
	return buf;
}
