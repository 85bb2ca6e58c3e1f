// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include <ctype.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "replay/idents.h"

#define IDENT_WISH 32 /* characters of a name; the rest of an identifier makes it unique */

/* Words that have a meaning for the compiler or in the headers of a replay. */
static bool ident_is_reserved(const char *ident)
{
	static const char words[] =
		" asm auto bool break case char const continue default do double else enum extern "
		"false float for goto if inline int long main register restrict return short signed "
		"sizeof static struct switch true typedef typeof union unsigned void volatile while "
		"again before can_loop ctx err errno first found fresh holding key lock ready "
		"replay_given_up replay_hold s second linux unix i386 ";
	static const char *const begins[] = { "bpf_", "sample_", "res_", "rqspin_", "_" };
	char word[IDENT_SIZE + 2];

	snprintf(word, sizeof(word), " %s ", ident);
	for (size_t i = 0; i < sizeof(begins) / sizeof(begins[0]); i++)
		if (!strncmp(ident, begins[i], strlen(begins[i])))
			return true;
	return strstr(words, word);
}

/* Names of library functions, whose types the compiler has built in. */
static bool ident_is_builtin(const char *ident)
{
	static const char *const begins[] = { "mem",   "str",	"printf", "abort", "exit",
					      "index", "log",	"read",	  "write", "abs",
					      "free",  "alloc", "malloc", "calloc" };

	for (size_t i = 0; i < sizeof(begins) / sizeof(begins[0]); i++)
		if (!strncmp(ident, begins[i], strlen(begins[i])))
			return true;
	return false;
}

/* Lower case, as macros are upper case; characters that no name in C has become one "_". */
void ident_like(const char *wish, const char *otherwise, char ident[IDENT_SIZE])
{
	size_t len = 0;

	for (const char *c = wish; *c && len < IDENT_WISH; c++) {
		if (isalnum((unsigned char)*c) && (unsigned char)*c < 128)
			ident[len++] = tolower((unsigned char)*c);
		else if (len && ident[len - 1] != '_')
			ident[len++] = '_';
	}
	while (len && ident[len - 1] == '_')
		len--;
	ident[len] = 0;
	if (!len)
		snprintf(ident, IDENT_SIZE, "%s", otherwise);
	else if (isdigit((unsigned char)*ident) || ident_is_reserved(ident) ||
		 ident_is_builtin(ident)) {
		memmove(ident + 4, ident, len + 1);
		memcpy(ident, "the_", 4);
	}
}

/* A map has a function of its own: "flows" has "flows_at". */
static bool is_function_of(const char *ident, const char *map)
{
	size_t len = strlen(map);

	return !strncmp(ident, map, len) && !strcmp(ident + len, "_at");
}

static bool in_use(const struct idents *idents, const char *ident)
{
	for (unsigned int i = 0; i < idents->nr; i++) {
		const char *used = idents->used[i];

		if (!strcmp(used, ident) || is_function_of(used, ident) ||
		    is_function_of(ident, used))
			return true;
	}
	return false;
}

void ident_unique(struct idents *idents, const char *wish, const char *otherwise,
		  char ident[IDENT_SIZE])
{
	char base[IDENT_SIZE];

	ident_like(wish, otherwise, base);
	snprintf(ident, IDENT_SIZE, "%s", base);
	for (unsigned int i = 2; in_use(idents, ident); i++)
		snprintf(ident, IDENT_SIZE, "%.36s_%u", base, i);
	if (idents->nr < IDENTS_MAX)
		snprintf(idents->used[idents->nr++], IDENT_SIZE, "%s", ident);
}
