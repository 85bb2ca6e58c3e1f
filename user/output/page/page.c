// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "output/page/page.h"

static const char html[] =
#include "user/output/page/page.html.inc"
	;
static const char css[] =
#include "user/output/page/page.css.inc"
	;
static const char js[] =
#include "user/output/page/page.js.inc"
	;

/* Only "<" can end a script, or begin a comment in it. */
static int put_data(FILE *out, const json_t *data)
{
	char *text = json_dumps(data, JSON_COMPACT | JSON_ENSURE_ASCII);

	if (!text)
		return -ENOMEM;
	for (const char *c = text; *c; c++) {
		if (*c == '<')
			fputs("\\u003c", out);
		else
			putc(*c, out);
	}
	free(text);
	return 0;
}

/* Writes the text up to the mark, and returns the text after it. */
static const char *put_until(FILE *out, const char *text, const char *mark)
{
	const char *at = strstr(text, mark);

	fwrite(text, 1, at - text, out);
	return at + strlen(mark);
}

int page_write(FILE *out, const json_t *data)
{
	const char *rest = put_until(out, html, "@CSS@");
	int err;

	fputs(css, out);
	rest = put_until(out, rest, "@DATA@");
	err = put_data(out, data);
	rest = put_until(out, rest, "@JS@");
	fputs(js, out);
	fputs(rest, out);
	return err;
}
