// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/utf8.h"
#include "output/page/names.h"
#include "output/page/rank.h"
#include "output/page/stacks.h"

#define DEPTH 128

/* Innermost first, as the kernel prints them. */
struct frames {
	char names[DEPTH][REPORT_NAME];
	int nr;
	bool cut; /* there were more */
};

int stacks_init(struct stacks *s)
{
	*s = (struct stacks){ .root = json_pack("{s:i, s:{}}", "count", 0, "children") };
	return s->root ? 0 : -ENOMEM;
}

void stacks_free(struct stacks *s)
{
	json_decref(s->root);
}

/* "bpf_prog_f4341053c9676354_plain_aa+0xe2/0x104": which program, not where it was loaded. */
static void frame_name(const char *line, size_t len, char name[REPORT_NAME])
{
	static const char jited[] = "bpf_prog_";
	size_t skip = strlen(jited) + 16 + 1;
	char text[REPORT_NAME], *plus;

	snprintf(text, sizeof(text), "%.*s", (int)len, line);
	plus = strstr(text, "+0x");
	if (plus)
		*plus = 0;
	if (!strncmp(text, jited, strlen(jited)) && strlen(text) > skip && text[skip - 1] == '_')
		snprintf(name, REPORT_NAME, "%s [bpf]", utf8_trim(text + skip));
	else
		utf8_copy(name, REPORT_NAME, text);
}

/* "  err = bpf_res_spin_lock(&lock); @ plain.bpf.c:81" is the place of the frame before. */
static bool is_place(const char *line, size_t len)
{
	return len > 2 && line[0] == ' ' && line[1] == ' ' && memmem(line, len, " @ ", 3);
}

static void add_place(struct frames *fr, const char *line, size_t len)
{
	const char *at = memmem(line, len, " @ ", 3);
	char *name = fr->names[fr->nr - 1];
	size_t used = strlen(name);

	snprintf(name + used, REPORT_NAME - used, " at %.*s", (int)(line + len - at - 3), at + 3);
	utf8_trim(name);
}

static void read_trace(struct frames *fr, const char *report)
{
	const char *line = strstr(report, "Call trace:\n");

	fr->nr = 0;
	fr->cut = false;
	for (line = line ? strchr(line, '\n') + 1 : ""; *line && *line != '\n';) {
		size_t len = strcspn(line, "\n"), blanks = strspn(line, " \t");

		if (is_place(line, len) && fr->nr)
			add_place(fr, line, len);
		else if (fr->nr < DEPTH && blanks < len)
			frame_name(line + blanks, len - blanks, fr->names[fr->nr++]);
		else
			fr->cut |= blanks < len;
		line += len + (line[len] == '\n');
	}
}

/* Without memory the failure is counted with its caller. */
static json_t *node_child(struct stacks *s, json_t *node, const char *name, unsigned long long nr)
{
	json_t *children = json_object_get(node, "children");
	json_t *c = json_object_get(children, name);

	s->cut |= !c && s->nodes == STACKS_NODES;
	if (!c && s->nodes < STACKS_NODES) {
		c = json_pack("{s:i, s:{}}", "count", 0, "children");
		if (!c || json_object_set_new(children, name, c))
			return NULL;
		s->nodes++;
	}
	rank_add(c, "count", nr);
	return c;
}

static json_t *without_trace(struct stacks *s, json_t *node, const json_t *line,
			     unsigned long long nr)
{
	char name[REPORT_NAME];

	node = node_child(s, node, report_prog(line, name), nr);
	if (node && *report_at(line, name))
		node = node_child(s, node, name, nr) ?: node;
	return node;
}

void stacks_add(struct stacks *s, const json_t *line, unsigned long long nr)
{
	static struct frames fr; /* too large for a stack */
	const char *comm = report_member(line, "comm");
	char name[REPORT_NAME];
	json_t *node;

	s->cut = false;
	rank_add(s->root, "count", nr);
	node = node_child(s, s->root, *comm ? comm : "unknown task", nr);
	read_trace(&fr, report_member(line, "report"));
	if (fr.nr)
		s->traces += nr;
	else if (node)
		node = without_trace(s, node, line, nr);
	for (int i = fr.nr - 1; node && i >= 0; i--)
		node = node_child(s, node, fr.names[i], nr);
	if (node)
		node_child(s, node, report_failed_lock(line, name), nr);
	if (s->cut || fr.cut)
		s->shortened += nr;
}

static json_t *node_list(const char *name, const json_t *node)
{
	json_t *list = json_array(), *child;
	const char *key;

	json_object_foreach(json_object_get(node, "children"), key, child)
		json_array_append_new(list, node_list(key, child));
	rank_sort(list);
	return json_pack("{s:s, s:O, s:o}", "name", name, "count", json_object_get(node, "count"),
			 "children", list);
}

json_t *stacks_json(const struct stacks *s)
{
	return node_list("all", s->root);
}
