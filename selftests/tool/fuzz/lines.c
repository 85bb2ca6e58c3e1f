// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* A file of events, as report and replay read it: sums, and the source of a replay of each failure.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/log.h"
#include "fuzz.h"
#include "replay/read.h"
#include "replay/source.h"
#include "output/page/gather.h"
#include "output/page/lines.h"

static void scene_again(const json_t *line)
{
	struct scene scene;
	size_t size;
	char *text;
	FILE *out;

	if (strcmp(json_string_value(json_object_get(line, "type")), "failure") ||
	    scene_read(&scene, line))
		return;
	out = open_memstream(&text, &size);
	if (!out)
		abort();
	source_write(out, &scene, "fuzz");
	fclose(out);
	MUST(size > 0);
	free(text);
}

static void line_take(const json_t *line, void *ctx)
{
	gather_line(line, ctx);
	scene_again(line);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct lines lines = { .name = "fuzz", .skip = true };
	struct gather g;

	if (!size || gather_init(&g))
		return 0;
	lines.in = fmemopen((void *)data, size, "r");
	if (lines.in) {
		if (!lines_read(&lines, line_take, &g) && !g.err)
			json_decref(gather_json(&g));
		fclose(lines.in);
	}
	gather_free(&g);
	return 0;
}
