// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/json_out.h"
#include "base/out.h"

json_t *json_text(const char *s)
{
	json_t *j = s && *s ? json_string(s) : NULL;
	char *ascii;

	if (j || !s || !*s)
		return j ? j : json_null();
	ascii = strdup(s);
	for (char *c = ascii; c && *c; c++)
		*c = *c & 0x80 ? '?' : *c;
	j = ascii ? json_string(ascii) : json_null();
	free(ascii);
	return j;
}

int json_put_line(json_t *j)
{
	int err = json_dumpf(j, stdout, JSON_COMPACT);

	json_decref(j);
	putchar('\n');
	return out_state() ?: (err ? -EIO : 0);
}

void json_put_pretty(json_t *j)
{
	json_dumpf(j, stdout, JSON_INDENT(2));
	putchar('\n');
	json_decref(j);
}
