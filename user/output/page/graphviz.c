// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/helper.h"
#include "output/page/graphviz.h"

#define SECONDS 60

/* A file instead of a pipe, so that neither side waits for the other to read. */
static FILE *graphs_write(const json_t *graphs)
{
	FILE *in = tmpfile();

	for (size_t i = 0; in && i < json_array_size(graphs); i++)
		fputs(json_string_value(json_object_get(json_array_get(graphs, i), "dot")), in);
	if (!in || (!fflush(in) && !fseek(in, 0, SEEK_SET)))
		return in;
	fclose(in);
	return NULL;
}

static int run_dot(FILE *in, FILE *out)
{
	char dot[PATH_MAX], *const argv[] = { dot, "-Tsvg", NULL };
	struct helper h = {
		.argv = argv, .in = fileno(in), .out = fileno(out), .seconds = SECONDS
	};
	int ret;

	if (!helper_find("dot", dot))
		return -ENOENT;
	ret = helper_run(&h);
	return ret > 0 ? -EIO : ret;
}

static char *all_of(FILE *f)
{
	char *text = NULL;
	size_t size;
	FILE *copy = open_memstream(&text, &size);
	int c;

	rewind(f);
	while (copy && (c = getc(f)) != EOF)
		putc(c, copy);
	if (!copy || fclose(copy))
		return NULL;
	return text;
}

/* There is one document for each graph, in order. Text before <svg is only for separate files. */
static int hand_out(json_t *graphs, const char *text)
{
	static const char end[] = "</svg>";

	for (size_t i = 0; i < json_array_size(graphs); i++) {
		const char *from = strstr(text, "<svg"), *to = from ? strstr(from, end) : NULL;

		if (!to)
			return -EIO;
		text = to + strlen(end);
		json_object_set_new(json_array_get(graphs, i), "svg",
				    json_stringn(from, text - from));
	}
	return 0;
}

int graphviz_draw(json_t *graphs)
{
	FILE *in, *out;
	char *text = NULL;
	int err = -EIO;

	if (!json_array_size(graphs))
		return 0;
	in = graphs_write(graphs);
	out = tmpfile();
	if (in && out)
		err = run_dot(in, out);
	if (!err) {
		text = all_of(out);
		err = text ? hand_out(graphs, text) : -ENOMEM;
	}
	free(text);
	if (in)
		fclose(in);
	if (out)
		fclose(out);
	return err;
}
