// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/grow.h"
#include "base/log.h"
#include "check/said.h"

#define WARNINGS_MAX 500

static bool starts_with(const char *s, const char *with)
{
	return !strncmp(s, with, strlen(with));
}

static void said_keep(char ***list, size_t *nr, const char *text, size_t len)
{
	char *copy = strndup(text, len);

	if (copy && grow_append((void **)list, nr, &copy, sizeof(copy)))
		free(copy);
}

/* "extern 'name' (weak): not resolved, defaulting to zero" */
static void said_hear_absent(struct said *s, const char *text)
{
	const char *name = text + strlen("extern '"), *end;

	if (!starts_with(text, "extern '") || !strstr(text, "not resolved"))
		return;
	end = strchr(name, '\'');
	if (end)
		said_keep(&s->absent, &s->nr_absent, name, end - name);
}

static void said_hear(void *arg, bool warning, const char *text)
{
	struct said *s = arg;

	if (starts_with(text, "libbpf: "))
		text += strlen("libbpf: ");
	said_hear_absent(s, text);
	if (warning && s->nr_warnings < WARNINGS_MAX)
		said_keep(&s->warnings, &s->nr_warnings, text, strcspn(text, "\n"));
}

void said_begin(struct said *s)
{
	said_free(s);
	log_listen(said_hear, s);
}

void said_end(void)
{
	log_listen(NULL, NULL);
}

static void said_list_free(char **list, size_t nr)
{
	for (size_t i = 0; i < nr; i++)
		free(list[i]);
	free(list);
}

void said_free(struct said *s)
{
	said_list_free(s->warnings, s->nr_warnings);
	said_list_free(s->absent, s->nr_absent);
	*s = (struct said){};
}

/* These messages accompany each failure and give no reason. */
static bool is_empty_talk(const char *text)
{
	return strstr(text, "Retrying without BTF") ||
	       starts_with(text, "BPF program load failed") ||
	       starts_with(text, "-- BEGIN PROG LOAD LOG") ||
	       starts_with(text, "failed to load:") ||
	       starts_with(text, "failed to prepare load attributes") ||
	       starts_with(text, "failed to bind map");
}

const char *said_about(const struct said *s, const char *what, const char *name)
{
	char begin[200];

	snprintf(begin, sizeof(begin), "%s '%s': ", what, name);
	for (size_t i = 0; i < s->nr_warnings; i++) {
		const char *text = s->warnings[i];

		if (starts_with(text, begin) && !is_empty_talk(text + strlen(begin)))
			return text + strlen(begin);
	}
	return NULL;
}

const char *said_with(const struct said *s, const char *begin)
{
	for (size_t i = 0; i < s->nr_warnings; i++)
		if (starts_with(s->warnings[i], begin))
			return s->warnings[i];
	return NULL;
}

const char *said_first(const struct said *s)
{
	for (size_t i = 0; i < s->nr_warnings; i++)
		if (!is_empty_talk(s->warnings[i]))
			return s->warnings[i];
	return "";
}

bool said_absent(const struct said *s, const char *name)
{
	for (size_t i = 0; i < s->nr_absent; i++)
		if (!strcmp(s->absent[i], name))
			return true;
	return false;
}
