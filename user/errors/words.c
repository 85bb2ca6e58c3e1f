// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include <ctype.h>
#include <errno.h>
#include <jansson.h>
#include <stdio.h>
#include <string.h>

#include "base/opts.h"
#include "base/suggest.h"
#include "errors/table.h"
#include "errors/words.h"

#define ERRNO_MAX 4095 /* the kernel's */

/* "BPF_MAP_TYPE_LRU-HASH" as "lru_hash". */
static void plain(const char *typed, const char *prefix, char out[ERROR_WORD])
{
	size_t len;

	snprintf(out, ERROR_WORD, "%s", typed);
	for (char *c = out; *c; c++)
		*c = *c == '-' ? '_' : tolower((unsigned char)*c);
	len = strlen(prefix);
	if (!strncmp(out, prefix, len))
		memmove(out, out + len, strlen(out + len) + 1);
}

static bool ends_with(const char *text, const char *word)
{
	size_t len = strlen(text), end = strlen(word);

	return len > end && text[len - end - 1] == '_' && !strcmp(text + len - end, word);
}

/* The word itself, or the longest with which a function's name ends: update of bpf_map_update. */
static const char *among(json_t *words, const char *name, bool function, const char **close)
{
	struct suggest s = { .typed = name };
	const char *best = NULL;
	json_t *word;
	size_t i;

	json_array_foreach(words, i, word) {
		const char *text = json_string_value(word);

		suggest_try(&s, text);
		if (!strcmp(text, name))
			return text;
		if (function && ends_with(name, text) && (!best || strlen(text) > strlen(best)))
			best = text;
	}
	*close = s.best;
	return best;
}

static bool find(json_t *words, bool function, char out[ERROR_WORD], const char **close)
{
	const char *found = among(words, out, function, close);
	const char *word = found ?: *close;

	if (word)
		snprintf(out, ERROR_WORD, "%s", word);
	*close = found || !word ? NULL : out;
	json_decref(words);
	return found;
}

bool error_type(const char *typed, char out[ERROR_WORD], const char **close)
{
	plain(typed, "bpf_map_type_", out);
	return find(map_error_types(), false, out, close);
}

bool error_op(const char *type, const char *typed, char out[ERROR_WORD], const char **close)
{
	size_t len;

	plain(typed, "bpf_", out);
	len = strlen(out);
	if (ends_with(out, "elem"))
		out[len - strlen("_elem")] = 0;
	return find(map_error_ops(type), true, out, close);
}

/* Those that the C library names, and what functions return that cannot return an error. */
static json_t *all_errors(void)
{
	json_t *words = json_array();

	json_array_append_new(words, json_string("NULL"));
	for (int i = 1; i <= ERRNO_MAX; i++)
		if (strerrorname_np(i))
			json_array_append_new(words, json_string(strerrorname_np(i)));
	return words;
}

bool error_name(const char *typed, char out[ERROR_WORD], const char **close)
{
	const char *bare = typed + (*typed == '-');
	uint64_t number;

	snprintf(out, ERROR_WORD, "%s", bare);
	for (char *c = out; *c; c++)
		*c = toupper((unsigned char)*c);
	if (!opt_u64(bare, 1, ERRNO_MAX, &number) && strerrorname_np(number))
		snprintf(out, ERROR_WORD, "%s", strerrorname_np(number));
	if (!strcmp(out, "EDEADLOCK"))
		snprintf(out, ERROR_WORD, "EDEADLK");
	if (!strcmp(out, "EWOULDBLOCK"))
		snprintf(out, ERROR_WORD, "EAGAIN");
	return find(all_errors(), false, out, close);
}
