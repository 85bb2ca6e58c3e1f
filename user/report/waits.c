// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "report/names.h"
#include "report/waits.h"

#define SHOWN 60 /* bytes of a name in a graph */

static bool is_cycle(const char *kind)
{
	return !strcmp(kind, "AA") || !strcmp(kind, "ABBA") || !strcmp(kind, "CYCLE");
}

/* Names come from outside: quotes, and what graphviz replaces in labels, are escaped. */
static void quoted(FILE *out, const char *text)
{
	size_t len = strlen(text);

	putc('"', out);
	for (size_t i = 0; i < len && i < SHOWN; i++) {
		/* Never within a character of several bytes. */
		if (i > SHOWN - 8 && len > SHOWN && (text[i] & 0xc0) != 0x80) {
			fputs("...", out);
			break;
		}
		if (text[i] == '"' || text[i] == '\\')
			putc('\\', out);
		putc((unsigned char)text[i] < ' ' ? '?' : text[i], out);
	}
	putc('"', out);
}

static void node(FILE *out, char kind, int nr, const char *label)
{
	fprintf(out, "%c%d [class=\"%s\", shape=%s, label=", kind, nr, kind == 'w' ? "who" : "lock",
		kind == 'w' ? "box, style=rounded" : "ellipse");
	quoted(out, label);
	fputs("];\n", out);
}

static void wants(FILE *out, int who, int lock)
{
	fprintf(out, "w%d -> l%d [class=\"wants\", style=dashed, label=\"wants\"];\n", who, lock);
}

static void held_by(FILE *out, int lock, int who)
{
	fprintf(out, "l%d -> w%d [class=\"held\", label=\"held by\"];\n", lock, who);
}

/* Of what this CPU holds, the lock that the last of the others wants; else the newest. */
static const json_t *held_lock(const json_t *line, const json_t *last)
{
	const json_t *held = json_object_get(line, "held");
	size_t nr = json_array_size(held);
	const char *want = report_member(last, "addr");

	for (size_t i = 0; *want && i < nr; i++)
		if (!strcmp(report_member(json_array_get(held, i), "addr"), want))
			return json_array_get(held, i);
	return json_is_object(last) ? last : json_array_get(held, nr ? nr - 1 : 0);
}

static const json_t *hop_wants(const json_t *line, size_t hop)
{
	const json_t *chain = json_object_get(line, "chain");

	if (json_array_size(chain))
		return json_object_get(json_array_get(chain, hop), "wants");
	return json_object_get(json_object_get(line, "owner"), "wants");
}

static void member_name(const json_t *line, size_t hop, size_t others, char name[REPORT_NAME])
{
	const char *comm = report_member(json_object_get(line, "owner"), "comm");

	if (!hop && *comm)
		snprintf(name, REPORT_NAME, "task %s", comm);
	else if (others > 1)
		snprintf(name, REPORT_NAME, "CPU no. %zu of the cycle", hop + 2);
	else
		snprintf(name, REPORT_NAME, "the owner's CPU");
}

/* Members beside the failing CPU: those that are known, or one for all. */
static size_t nr_others(const json_t *line)
{
	size_t chain = json_array_size(json_object_get(line, "chain"));

	return chain ? chain : 1;
}

/* w0 wants l0, held by w1, wants l1, ... held by w0. */
static void circle(FILE *out, const json_t *line)
{
	size_t others = nr_others(line), i;
	const json_t *last = hop_wants(line, others - 1);
	json_int_t parties = json_integer_value(json_object_get(line, "parties"));
	char name[REPORT_NAME];

	for (i = 1; i <= others; i++) {
		const json_t *lock = i == others ? held_lock(line, last) : hop_wants(line, i - 1);

		member_name(line, i - 1, others, name);
		if (others == 1 && parties > 2)
			snprintf(name, sizeof(name), "%lld other CPUs", (long long)parties - 1);
		node(out, 'w', i, name);
		node(out, 'l', i, report_lock(lock, name));
		held_by(out, i - 1, i);
		wants(out, i, i);
	}
	held_by(out, others, 0);
}

char *waits_dot(const json_t *line)
{
	const char *kind = report_member(line, "kind");
	char *dot = NULL, name[REPORT_NAME];
	size_t size;
	FILE *out;

	if (!is_cycle(kind))
		return NULL;
	out = open_memstream(&dot, &size);
	if (!out)
		return NULL;
	fputs("digraph waits {\nrankdir=LR; bgcolor=\"transparent\";\n"
	      "node [fontname=\"sans-serif\", fontsize=12]; edge [fontname=\"sans-serif\", "
	      "fontsize=10];\n",
	      out);
	node(out, 'w', 0, report_prog(line, name));
	node(out, 'l', 0, report_failed_lock(line, name));
	wants(out, 0, 0);
	if (strcmp(kind, "AA"))
		circle(out, line);
	else
		held_by(out, 0, 0);
	fputs("}\n", out);
	if (!fclose(out))
		return dot;
	free(dot);
	return NULL;
}

char *waits_text(const json_t *line)
{
	char prog[REPORT_NAME], lock[REPORT_NAME], held[REPORT_NAME], at[REPORT_NAME];
	const char *kind = report_member(line, "kind");
	char *text;
	int n;

	report_prog(line, prog);
	report_failed_lock(line, lock);
	report_at(line, at);
	if (!strcmp(kind, "AA"))
		n = asprintf(&text, "%s%s%s wants %s, which its CPU holds", prog, *at ? " at " : "",
			     at, lock);
	else
		n = asprintf(
			&text, "%s%s%s wants %s and holds %s", prog, *at ? " at " : "", at, lock,
			report_lock(held_lock(line, hop_wants(line, nr_others(line) - 1)), held));
	return n < 0 ? NULL : text;
}
