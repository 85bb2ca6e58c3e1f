// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/utf8.h"
#include "output/page/names.h"
#include "output/page/waits.h"

#define SHOWN	60 /* bytes of a name in a graph */
#define MEMBERS 16 /* of a cycle, beside the one that failed */

static bool is_cycle(const char *kind)
{
	return !strcmp(kind, "AA") || !strcmp(kind, "ABBA") || !strcmp(kind, "CYCLE");
}

/* Names come from outside: quotes, and what graphviz replaces in labels, are escaped. */
static void escaped_text(FILE *out, const char *text)
{
	size_t len = strlen(text);

	for (size_t i = 0; i < len && i < SHOWN; i++) {
		/* Never cut within a character of several bytes. */
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

static void put_wants(FILE *out, int who, int lock)
{
	fprintf(out, "w%d -> l%d [class=\"wants\", style=dashed, label=\"wants\"];\n", who, lock);
}

static void held_by(FILE *out, int lock, int who)
{
	fprintf(out, "l%d -> w%d [class=\"held\", label=\"held by\"];\n", lock, who);
}

/* The lock of this CPU that the last of the others wants; else the newest one that it holds. */
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

/* The hop if its program, or the kernel's function that waits, is known; else NULL. */
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

/* A member of the cycle, or all members that are left as one. */
static void read_member(struct waits *w, const json_t *line, size_t i)
{
	json_int_t parties = json_integer_value(json_object_get(line, "parties"));
	struct waits_member *m = &w->members[i];
	size_t others = nr_others(line);

	m->known = hop_who(line, i - 1);
	if (i == MEMBERS && w->more) {
		snprintf(m->who, sizeof(m->who), "%zu more CPUs", w->more + 1);
		m->known = false;
	} else if (others == 1 && parties > 2) {
		snprintf(m->who, sizeof(m->who), "%lld other CPUs", (long long)parties - 1);
		report_at(hop_who(line, i - 1), m->at);
		w->whole = m->known = false;
	} else {
		member_name(line, i - 1, others, m->who);
		report_at(hop_who(line, i - 1), m->at);
	}
}

/* Member 0 wants lock 0, held by 1, which wants lock 1, ... held by 0. */
static void read_members(struct waits *w, const json_t *line)
{
	const json_t *last = hop_wants(line, nr_others(line) - 1);

	for (size_t i = 1; i < w->nr; i++) {
		bool is_last = i + 1 == w->nr;

		read_member(w, line, i);
		report_lock(is_last ? held_lock(line, last) : hop_wants(line, i - 1),
			    w->members[i].lock);
	}
}

struct waits *waits_read(const json_t *line)
{
	const char *kind = report_member(line, "kind");
	size_t others = strcmp(kind, "AA") ? nr_others(line) : 0;
	size_t shown = others < MEMBERS ? others : MEMBERS;
	struct waits *w;

	if (!is_cycle(kind))
		return NULL;
	w = calloc(1, sizeof(*w) + (shown + 1) * sizeof(w->members[0]));
	if (!w)
		return NULL;
	snprintf(w->kind, sizeof(w->kind), "%s", kind);
	w->nr = shown + 1;
	w->more = others - shown;
	w->whole = !w->more;
	report_prog(line, w->members[0].who);
	report_at(line, w->members[0].at);
	report_failed_lock(line, w->members[0].lock);
	w->members[0].known = json_is_object(json_object_get(line, "prog"));
	read_members(w, line);
	return w;
}

static int compare_text(const void *a, const void *b)
{
	return strcmp(*(const char *const *)a, *(const char *const *)b);
}

char *waits_key(const struct waits *w)
{
	const char *locks[MEMBERS + 1];
	char *key = NULL;
	size_t size;
	FILE *out;

	if (!w->whole)
		return waits_dot(w);
	out = open_memstream(&key, &size);
	if (!out)
		return NULL;
	for (size_t i = 0; i < w->nr; i++)
		locks[i] = w->members[i].lock;
	qsort(locks, w->nr, sizeof(locks[0]), compare_text);
	fputs(w->kind, out);
	for (size_t i = 0; i < w->nr; i++)
		fprintf(out, "\n%s", locks[i]);
	return fclose(out) ? NULL : key;
}

static bool is_same(const struct waits_member *a, const struct waits_member *b)
{
	if (strcmp(a->lock, b->lock))
		return false;
	return !a->known || !b->known || (!strcmp(a->who, b->who) && !strcmp(a->at, b->at));
}

static bool waits_fit(const struct waits *w, const struct waits *other, size_t turn)
{
	for (size_t i = 0; i < w->nr; i++)
		if (!is_same(&w->members[i], &other->members[(i + turn) % w->nr]))
			return false;
	return true;
}

bool waits_join(struct waits *w, const struct waits *other)
{
	size_t turn = 0;

	if (w->nr != other->nr || w->whole != other->whole)
		return false;
	while (turn < w->nr && !waits_fit(w, other, turn))
		turn++;
	if (turn == w->nr)
		return false;
	for (size_t i = 0; i < w->nr; i++)
		if (!w->members[i].known)
			w->members[i] = other->members[(i + turn) % w->nr];
	return true;
}

char *waits_dot(const struct waits *w)
{
	char *dot = NULL;
	size_t size;
	FILE *out = open_memstream(&dot, &size);

	if (!out)
		return NULL;
	fputs("digraph waits {\nrankdir=LR; bgcolor=\"transparent\";\n"
	      "node [fontname=\"sans-serif\", fontsize=12]; edge [fontname=\"sans-serif\", "
	      "fontsize=10];\n",
	      out);
	for (size_t i = 0; i < w->nr; i++) {
		who_node(out, i, w->members[i].who, w->members[i].at);
		lock_node(out, i, w->members[i].lock);
		put_wants(out, i, i);
		held_by(out, i, (i + 1) % w->nr);
	}
	fputs("}\n", out);
	return fclose(out) ? NULL : dot;
}

static void put_wish(FILE *out, const struct waits_member *m)
{
	fputs(m->who, out);
	if (*m->at)
		fprintf(out, " at %s", m->at);
	fprintf(out, " wants %s", m->lock);
}

char *waits_text(const struct waits *w)
{
	char *text = NULL;
	size_t size;
	FILE *out = open_memstream(&text, &size);

	if (!out)
		return NULL;
	put_wish(out, &w->members[0]);
	if (w->nr == 1)
		fputs(", which its CPU holds", out);
	else
		fprintf(out, " and holds %s", w->members[w->nr - 1].lock);
	for (size_t i = 1; i < w->nr; i++) {
		if (!w->members[i].known)
			continue;
		fputs("; ", out);
		put_wish(out, &w->members[i]);
	}
	if (w->more)
		fprintf(out, "; and %zu more CPUs", w->more + 1);
	return fclose(out) ? NULL : text;
}
