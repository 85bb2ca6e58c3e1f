// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/log.h"
#include "output/screen/messages.h"

#define KEPT 64

static char *lines[KEPT]; /* a ring */
static unsigned long long nr, unseen;

void messages_add(const char *line)
{
	char **place = &lines[nr++ % KEPT];

	free(*place);
	*place = strdup(line);
	unseen++;
}

const char *messages_last(void)
{
	return unseen && nr ? lines[(nr - 1) % KEPT] : NULL;
}

unsigned long long messages_unseen(void)
{
	return unseen;
}

void messages_seen(void)
{
	unseen = 0;
}

char *messages_text(void)
{
	unsigned long long first = nr > KEPT ? nr - KEPT : 0;
	char *text = NULL;
	size_t size;
	FILE *out = open_memstream(&text, &size);

	if (!out)
		return NULL;
	if (!nr)
		fputs("no messages\n", out);
	for (unsigned long long i = nr; i-- > first;)
		fprintf(out, "%s\n", lines[i % KEPT] ?: "?");
	if (first)
		fprintf(out, "%llu earlier ones are not kept\n", first);
	return fclose(out) ? NULL : text;
}

void messages_print(void)
{
	unsigned long long i = nr > KEPT ? nr - KEPT : 0;

	if (i)
		pr_info("%llu earlier messages are not shown", i);
	for (; i < nr; i++) {
		char **line = &lines[i % KEPT];

		fprintf(stderr, "%s\n", *line ? *line : "?");
		free(*line);
		*line = NULL;
	}
	nr = unseen = 0;
}
