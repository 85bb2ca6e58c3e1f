// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/utf8.h"
#include "report/names.h"
#include "report/waits.h"

#define SHOWN	60 /* bytes of a name in a graph */
#define MEMBERS 16 /* of a cycle, in a graph and in text */

static bool is_cycle(const char *kind)
{
	return !strcmp(kind, "AA") || !strcmp(kind, "ABBA") || !strcmp(kind, "CYCLE");
}

/* Names come from outside: quotes, and what graphviz replaces in labels, are escaped. */
static void escaped_text(FILE *out, const char *text)
{
	size_t len = strlen(text);

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
}

static void lock_node(FILE *out, int nr, const char *name)
{
	fprintf(out, "l%d [class=\"lock\", shape=ellipse, label=\"", nr);
	escaped_text(out, name);
	fputs("\"];\n", out);
}

/* Who waits, and in the second line where, if that is known. */
static void who_node(FILE *out, int nr, const char *name, const char *at)
{
	fprintf(out, "w%d [class=\"who\", shape=box, style=rounded, label=\"", nr);
	escaped_text(out, name);
	if (*at)
		fputs("\\n", out);
	escaped_text(out, at);
	fputs("\"];\n", out);
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

/* Its program, or the kernel's function that waits; NULL: not known. */
static const json_t *hop_who(const json_t *line, size_t hop)
{
	const json_t *one = json_array_get(json_object_get(line, "chain"), hop);
	const json_t *prog = json_object_get(one, "prog");

	return json_is_object(prog) || *report_member(one, "function") ? one : NULL;
}

static void member_name(const json_t *line, size_t hop, size_t others, char name[REPORT_NAME])
{
	const char *comm = report_member(json_object_get(line, "owner"), "comm");
	const json_t *who = hop_who(line, hop);

	if (who && json_is_object(json_object_get(who, "prog")))
		report_prog(who, name);
	else if (who)
		utf8_copy(name, REPORT_NAME, report_member(who, "function"));
	else if (!hop && *comm)
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

/* What is written to a box of the graph: a member of the cycle, or all that are left. */
static void member_node(FILE *out, const json_t *line, size_t i, size_t shown)
{
	json_int_t parties = json_integer_value(json_object_get(line, "parties"));
	size_t others = nr_others(line);
	char name[REPORT_NAME], at[REPORT_NAME] = "";

	if (i == shown && others > shown) {
		snprintf(name, sizeof(name), "%zu more CPUs", others - shown + 1);
	} else if (others == 1 && parties > 2) {
		snprintf(name, sizeof(name), "%lld other CPUs", (long long)parties - 1);
		report_at(hop_who(line, i - 1), at);
	} else {
		member_name(line, i - 1, others, name);
		report_at(hop_who(line, i - 1), at);
	}
	who_node(out, i, name, at);
}

/* w0 wants l0, held by w1, wants l1, ... held by w0. */
static void circle(FILE *out, const json_t *line)
{
	size_t others = nr_others(line), shown = others < MEMBERS ? others : MEMBERS, i;
	const json_t *last = hop_wants(line, others - 1);
	char name[REPORT_NAME];

	for (i = 1; i <= shown; i++) {
		const json_t *lock = i == shown ? held_lock(line, last) : hop_wants(line, i - 1);

		member_node(out, line, i, shown);
		lock_node(out, i, report_lock(lock, name));
		held_by(out, i - 1, i);
		wants(out, i, i);
	}
	held_by(out, shown, 0);
}

char *waits_dot(const json_t *line)
{
	const char *kind = report_member(line, "kind");
	char *dot = NULL, name[REPORT_NAME], at[REPORT_NAME];
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
	who_node(out, 0, report_prog(line, name), report_at(line, at));
	lock_node(out, 0, report_failed_lock(line, name));
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

static void put_at(FILE *out, const json_t *line)
{
	char at[REPORT_NAME];

	if (*report_at(line, at))
		fprintf(out, " at %s", at);
}

/* "; abba_1 at abba.bpf.c:24 wants lock_a": those of whom it is known. */
static void put_members(FILE *out, const json_t *line)
{
	size_t others = nr_others(line);
	char text[REPORT_NAME];

	for (size_t hop = 0; hop < others && hop < MEMBERS; hop++) {
		const json_t *who = hop_who(line, hop);

		if (!who)
			continue;
		member_name(line, hop, others, text);
		fprintf(out, "; %s", text);
		put_at(out, who);
		fprintf(out, " wants %s", report_lock(hop_wants(line, hop), text));
	}
	if (others > MEMBERS)
		fprintf(out, "; and %zu more CPUs", others - MEMBERS);
}

static void put_text(FILE *out, const json_t *line)
{
	char text[REPORT_NAME];

	fputs(report_prog(line, text), out);
	put_at(out, line);
	fprintf(out, " wants %s", report_failed_lock(line, text));
	if (!strcmp(report_member(line, "kind"), "AA")) {
		fputs(", which its CPU holds", out);
		return;
	}
	fprintf(out, " and holds %s",
		report_lock(held_lock(line, hop_wants(line, nr_others(line) - 1)), text));
	put_members(out, line);
}

char *waits_text(const json_t *line)
{
	char *text = NULL;
	size_t size;
	FILE *out = open_memstream(&text, &size);

	if (!out)
		return NULL;
	put_text(out, line);
	if (!fclose(out))
		return text;
	free(text);
	return NULL;
}
