// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include <ctype.h>
#include <stdio.h>
#include <string.h>

#include "errors/table.h"

const struct map_error map_errors[] = {
#include "user/errors/errors.inc"
};

const struct map_advice map_advices[] = {
#include "user/errors/advice.inc"
};

const size_t nr_map_errors = sizeof(map_errors) / sizeof(map_errors[0]);
const size_t nr_map_advices = sizeof(map_advices) / sizeof(map_advices[0]);

bool map_error_listed(const char *list, const char *word)
{
	size_t len = strlen(word);

	for (const char *at = list; at; at = strchr(at, ',')) {
		at += *at == ',';
		if (!strncmp(at, word, len) && (at[len] == ',' || !at[len]))
			return true;
	}
	return false;
}

/* Add each word once. */
static void add_words(json_t *words, const char *list)
{
	while (*list) {
		size_t len = strcspn(list, ","), i;
		json_t *word;

		json_array_foreach(words, i, word)
			if (json_string_length(word) == len &&
			    !strncmp(json_string_value(word), list, len))
				break;
		if (i == json_array_size(words))
			json_array_append_new(words, json_stringn(list, len));
		list += len + (list[len] == ',');
	}
}

bool map_error_about(const struct map_error *e, const char *type, const char *op)
{
	return map_error_listed(e->types, type) && map_error_listed(e->ops, op);
}

bool map_error_names(const char *text, const char *error)
{
	char quoted[32];

	snprintf(quoted, sizeof(quoted), "`%s%s`", *error == 'E' ? "-" : "", error);
	return strstr(text, quoted);
}

static bool says_nested(const struct map_error *e)
{
	return strstr(e->cause, "nested") || strstr(e->cause, "on top");
}

const struct map_error *map_error_nested(const char *type, const char *op, enum maplock lock)
{
	const struct map_error *first = NULL;

	for (size_t i = 0; i < nr_map_errors; i++) {
		const struct map_error *e = &map_errors[i];

		if (e->lock != lock || !map_error_about(e, type, op))
			continue;
		if (says_nested(e))
			return e;
		first = first ?: e;
	}
	return first;
}

bool map_error_borrowed(const struct map_error *e)
{
	return strstr(e->returns[0], "as the single operation");
}

bool map_error_unmeasured(const char *text)
{
	return !strcmp(text, "not measured");
}

/* Advice for one view of the lock applies to that view only. */
static bool fits_view(const char *when, enum maplock_view view)
{
	static const char *const words[] = {
		[MAPLOCK_UNSEEN] = "untraced",
		[MAPLOCK_SEEN_AFTER] = "fexit",
		[MAPLOCK_SEEN] = "traced",
	};

	for (size_t i = 0; i < sizeof(words) / sizeof(words[0]); i++)
		if (!strcmp(when, words[i]))
			return i == view;
	return true;
}

bool map_advice_for(const struct map_advice *a, const struct map_error *e, const char *returns,
		    enum maplock_view view)
{
	if (!map_error_listed(e->advice, a->id) || !fits_view(a->when, view))
		return false;
	if (!strcmp(a->when, "hang"))
		return strstr(returns, "hang");
	return !strcmp(a->when, "-") || strchr(returns, '`');
}

json_t *map_error_types(void)
{
	json_t *words = json_array();

	for (size_t i = 0; i < nr_map_errors; i++)
		add_words(words, map_errors[i].types);
	return words;
}

json_t *map_error_ops(const char *type)
{
	json_t *words = json_array();

	for (size_t i = 0; i < nr_map_errors; i++)
		if (map_error_listed(map_errors[i].types, type))
			add_words(words, map_errors[i].ops);
	return words;
}

/* The errors in the text: other words in backticks are options and members. */
json_t *map_error_errors(const char *text)
{
	json_t *words = json_array();

	while ((text = strchr(text, '`'))) {
		size_t len = strcspn(++text, "`");

		if (len > 2 && text[0] == '-' && text[1] == 'E')
			json_array_append_new(words, json_stringn(text + 1, len - 1));
		else if (len == 4 && !strncmp(text, "NULL", len))
			json_array_append_new(words, json_stringn(text, len));
		text += len + !!text[len];
	}
	return words;
}
