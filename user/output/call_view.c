// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include <stdbool.h>

#include "base/escape.h"
#include "base/json_out.h"
#include "names/callsite.h"
#include "names/lockname.h"
#include "names/proginfo.h"
#include "output/call_view.h"
#include "output/lock_view.h"

/* The program may be unknown, and with it the file of its own function. */
void line_put(FILE *out, const struct proginfo *prog, const char *file, __u32 line)
{
	const char *path, *text;

	if (proginfo_line(prog, file, line, &path, &text))
		file = base_name(path);
	if (*file)
		fprintf(out, "%s:%u", escaped(file), line);
	else
		fprintf(out, "line %u", line);
}

json_t *line_json(const struct proginfo *prog, const char *file, __u32 line, bool call)
{
	const char *text = NULL;
	json_t *j;

	if (!line)
		return json_null();
	proginfo_line(prog, file, line, &file, &text);
	j = json_object();
	json_object_set_new(j, "line", json_integer(line));
	json_object_set_new(j, "file", json_text(file));
	json_object_set_new(j, "text", json_text(text));
	json_object_set_new(j, "call", json_boolean(call));
	return j;
}

json_t *prog_json(__u32 id, const char *name)
{
	json_t *j;

	if (!id && !name[0])
		return json_null();
	j = json_object();
	json_object_set_new(j, "id", id ? json_integer(id) : json_null());
	json_object_set_new(j, "name", json_text(name));
	return j;
}

static bool call_view_find(const struct lock_view *v, __u64 addr, struct callsite *site)
{
	return callsite_find(v->progs, locknames_ksyms(v->names), addr, v->when_ns, site);
}

void call_put(FILE *out, const struct lock_view *v, __u64 addr)
{
	struct callsite site;

	if (!call_view_find(v, addr, &site))
		return;
	if (site.function) {
		fprintf(out, " in %s", escaped(site.function));
		return;
	}
	if (site.line) {
		fputs(" at ", out);
		line_put(out, site.prog, site.file, site.line);
	}
	fprintf(out, " in prog %u %s", site.prog->id, escaped(site.prog->full_name));
}

void call_json(json_t *to, const struct lock_view *v, __u64 addr)
{
	struct callsite site;

	call_view_find(v, addr, &site);
	json_object_set_new(to, "prog",
			    site.prog ? prog_json(site.prog->id, site.prog->full_name) :
					json_null());
	json_object_set_new(to, "at", line_json(site.prog, site.file, site.line, true));
	json_object_set_new(to, "function", json_text(site.function));
}
