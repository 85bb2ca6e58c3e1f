// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include <ctype.h>
#include <stdio.h>
#include <string.h>
#include <bpf/libbpf.h>

#include "../base/escape.h"
#include "../base/log.h"
#include "../names/proginfo.h"
#include "../run/progs.h"
#include "../events/sources/table.h"
#include "../events/failure.h"
#include "words.h"

static json_t *words_of_kinds(const char *object)
{
	json_t *list = json_array();

	(void)object;
	for (__u32 k = RQSPIN_UNKNOWN; k <= RQSPIN_NESTED; k++) {
		char word[16] = "";

		for (size_t i = 0; i < sizeof(word) - 1 && kind_name(k)[i]; i++)
			word[i] = tolower((unsigned char)kind_name(k)[i]);
		json_array_append_new(list, json_string(word));
	}
	return list;
}

static json_t *words_of_sources(const char *object)
{
	json_t *list = json_array();

	(void)object;
	for (size_t i = 0; source_name(i); i++)
		json_array_append_new(list, json_string(source_name(i)));
	return list;
}

static json_t *loaded_progs(const char *object)
{
	struct proginfos *progs = proginfos_open();
	json_t *list = json_array();

	(void)object;
	if (!progs)
		return list;
	proginfos_scan(progs);
	for (const struct proginfo *p = proginfos_first(progs); p; p = p->next)
		if (*p->full_name && !p->own)
			json_array_append_new(list, json_string(p->full_name));
	proginfos_close(progs);
	return list;
}

static json_t *progs_of(const char *object)
{
	struct bpf_program *prog = NULL;
	json_t *list = json_array();
	struct bpf_object *obj;
	int sig;

	if (!object)
		return list;
	obj = progs_open(object, &sig);
	while (obj && (prog = bpf_object__next_program(obj, prog)))
		json_array_append_new(list, json_string(bpf_program__name(prog)));
	bpf_object__close(obj);
	return list;
}

static const struct words table[] = {
	{ "kind", words_of_kinds, false },
	{ "source", words_of_sources, false },
	{ "prog", loaded_progs, true },
	{ "roles", progs_of, true },
};

const struct words *words_find(const char *option)
{
	for (size_t i = 0; i < sizeof(table) / sizeof(table[0]); i++)
		if (!strcmp(table[i].option, option))
			return &table[i];
	return NULL;
}

bool words_print(const char *option, const char *object)
{
	const struct words *words = words_find(option);
	json_t *list, *word;
	size_t i;

	if (!words)
		return false;
	list = words->list(object);
	json_array_foreach(list, i, word)
		/* Words that cannot be typed are left out. */
		if (!strcmp(escaped(json_string_value(word)), json_string_value(word)))
			puts(json_string_value(word));
	json_decref(list);
	return true;
}
