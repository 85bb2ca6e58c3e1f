// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include <ctype.h>
#include <errno.h>
#include <jansson.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "base/suggest.h"
#include "errors/table.h"
#include "errors/words.h"

#define ERRNO_MAX 4095 /* the kernel's */

/* "BPF_MAP_TYPE_LRU-HASH" as "lru_hash". */
static void word_plain(const char *typed, const char *prefix, char out[ERROR_WORD])
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
static const char *word_among(json_t *words, const char *name, bool function, const char **close)
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

static bool error_word_find(json_t *words, bool function, char out[ERROR_WORD], const char **close)
{
	const char *found = word_among(words, out, function, close);
	const char *word = found ?: *close;

	if (word)
		snprintf(out, ERROR_WORD, "%s", word);
	*close = found || !word ? NULL : out;
	json_decref(words);
	return found;
}

bool error_type(const char *typed, char out[ERROR_WORD], const char **close)
{
	word_plain(typed, "bpf_map_type_", out);
	return error_word_find(map_error_types(), false, out, close);
}

/* Remove endings that describe how a function works, not what it does. */
static void strip_endings(char *name)
{
	static const char *const endings[] = { "flags", "opts", "elem", "percpu", "dynptr" };

	for (size_t i = 0; i < sizeof(endings) / sizeof(endings[0]); i++)
		if (ends_with(name, endings[i]))
			name[strlen(name) - strlen(endings[i]) - 1] = 0;
}

/* What programs and user space call by different names. */
static const struct alias {
	const char *types, *function, *op;
} aliases[] = {
	{ "queue,stack", "lookup_and_delete", "pop" },
	{ "queue,stack", "update", "push" },
	{ "queue,stack", "lookup", "peek" },
	{ "bloom_filter", "push", "update" },
	{ "bloom_filter", "peek", "lookup" },
	{ "task_storage,cgrp_storage,inode_storage,sk_storage", "update", "get" },
	{ "task_storage,cgrp_storage,inode_storage,sk_storage", "lookup", "get" },
};

static bool find_alias(const char *type, char out[ERROR_WORD])
{
	for (size_t i = 0; i < sizeof(aliases) / sizeof(aliases[0]); i++) {
		const struct alias *a = &aliases[i];

		if (!map_error_listed(a->types, type) ||
		    (strcmp(out, a->function) && !ends_with(out, a->function)))
			continue;
		snprintf(out, ERROR_WORD, "%s", a->op);
		return true;
	}
	return false;
}

bool error_op(const char *type, const char *typed, char out[ERROR_WORD], const char **close)
{
	char whole[ERROR_WORD];

	word_plain(typed, "bpf_", whole);
	snprintf(out, ERROR_WORD, "%s", whole);
	if (error_word_find(map_error_ops(type), true, out, close))
		return true;
	snprintf(out, ERROR_WORD, "%s", whole);
	strip_endings(out);
	return find_alias(type, out) || error_word_find(map_error_ops(type), true, out, close);
}

/* Errors with a name in the C library, and the NULL of functions that cannot return an error. */
static json_t *all_errors(void)
{
	json_t *words = json_array();

	json_array_append_new(words, json_string("NULL"));
	for (int i = 1; i <= ERRNO_MAX; i++)
		if (strerrorname_np(i))
			json_array_append_new(words, json_string(strerrorname_np(i)));
	return words;
}

/* -12 may also be printed as an unsigned number: 4294967284, 0xfffffff4. 0: not an error. */
static int error_number(const char *typed)
{
	unsigned long long n;
	char *end;

	if (!isdigit((unsigned char)*typed))
		return 0;
	errno = 0;
	n = strtoull(typed, &end, strncasecmp(typed, "0x", 2) ? 10 : 16);
	if (errno || *end)
		return 0;
	if (n <= UINT32_MAX && UINT32_MAX - n < ERRNO_MAX)
		n = UINT32_MAX - n + 1;
	else if (UINT64_MAX - n < ERRNO_MAX)
		n = UINT64_MAX - n + 1;
	return n <= ERRNO_MAX ? n : 0;
}

bool error_name(const char *typed, char out[ERROR_WORD], const char **close)
{
	const char *bare = typed + (*typed == '-');
	int number = error_number(bare);

	snprintf(out, ERROR_WORD, "%s", bare);
	for (char *c = out; *c; c++)
		*c = toupper((unsigned char)*c);
	if (number && strerrorname_np(number))
		snprintf(out, ERROR_WORD, "%s", strerrorname_np(number));
	if (!strcmp(out, "EDEADLOCK"))
		snprintf(out, ERROR_WORD, "EDEADLK");
	if (!strcmp(out, "EWOULDBLOCK"))
		snprintf(out, ERROR_WORD, "EAGAIN");
	return error_word_find(all_errors(), false, out, close);
}
