// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "output/screen/contention.h"
#include "output/screen/rows.h"
#include "output/screen/snapshot.h"

static const char *const by_words[TOP_NR_BY] = { "lock", "prog", "both" };
static const char *const sort_words[TOP_NR_SORT] = { "failures", "rate",      "wait",
						     "max",	 "contended", "name" };

static int find_word(const char *const *words, int nr, const char *word)
{
	for (int i = 0; i < nr; i++)
		if (!strcmp(words[i], word))
			return i;
	return -EINVAL;
}

int top_by_parse(const char *word, enum top_by *by)
{
	int i = find_word(by_words, TOP_NR_BY, word);

	if (i < 0)
		return i;
	*by = i;
	return 0;
}

int top_sort_parse(const char *word, enum top_sort *sort)
{
	int i = find_word(sort_words, TOP_NR_SORT, word);

	if (i < 0)
		return i;
	*sort = i;
	return 0;
}

const char *top_by_word(enum top_by by)
{
	return by_words[by];
}

const char *top_sort_word(enum top_sort sort)
{
	return sort_words[sort];
}

const char *top_row_name(const struct top_row *r, enum top_by by, char buf[TOP_ROW_NAME])
{
	const char *prog = r->prog[0] ? r->prog : "?", *lock = r->lock[0] ? r->lock : "?";

	if (by == TOP_BY_BOTH)
		snprintf(buf, TOP_ROW_NAME, "%s %s", prog, lock);
	else
		snprintf(buf, TOP_ROW_NAME, "%s", by == TOP_BY_LOCK ? lock : prog);
	return buf;
}

static const char *name_known(const char *name)
{
	return name[0] ? name : "?";
}

const char *top_row_first(const struct top_row *r, enum top_by by)
{
	return name_known(by == TOP_BY_LOCK ? r->lock : r->prog);
}

/* The name of the series' lock or program, whichever the row is not about. */
static const char *other_name(const struct series *s, enum top_by by)
{
	return by == TOP_BY_LOCK ? s->prog : s->lock;
}

/* Does an earlier series of the row have the same other name? */
static bool is_repeated(const struct snapshot *s, const struct top_row *r, enum top_by by, size_t n)
{
	for (size_t i = 0; i < n; i++)
		if (s->all[i].s.total && top_row_has(r, by, &s->all[i].s) &&
		    !strcmp(other_name(&s->all[i].s, by), other_name(&s->all[n].s, by)))
			return true;
	return false;
}

const char *top_row_second(const struct snapshot *s, const struct top_row *r, enum top_by by,
			   char buf[TOP_ROW_NAME])
{
	const struct series *most = NULL;
	size_t others = 0;

	if (by == TOP_BY_BOTH)
		return name_known(r->lock);
	for (size_t i = 0; i < s->nr; i++) {
		const struct series *x = &s->all[i].s;

		if (!x->total || !top_row_has(r, by, x))
			continue;
		others += !is_repeated(s, r, by, i);
		if (!most || x->total > most->total)
			most = x;
	}
	if (others < 2)
		return most ? name_known(other_name(most, by)) : "-";
	snprintf(buf, TOP_ROW_NAME, "%s +%zu", name_known(other_name(most, by)), others - 1);
	return buf;
}

bool top_row_has(const struct top_row *r, enum top_by by, const struct series *s)
{
	return (by == TOP_BY_LOCK || !strcmp(r->prog, s->prog)) &&
	       (by == TOP_BY_PROG || !strcmp(r->lock, s->lock));
}

static struct top_row *row_of(struct top_row *rows, size_t *nr, enum top_by by,
			      const struct series *s)
{
	struct top_row *r;

	for (size_t i = 0; i < *nr; i++)
		if (top_row_has(&rows[i], by, s))
			return &rows[i];
	r = &rows[(*nr)++];
	if (by != TOP_BY_LOCK)
		memcpy(r->prog, s->prog, sizeof(r->prog));
	if (by != TOP_BY_PROG)
		memcpy(r->lock, s->lock, sizeof(r->lock));
	return r;
}

static void row_add(struct top_row *r, const struct reading *x)
{
	r->failures += x->s.total;
	r->lost += x->s.total - x->s.seen;
	if (x->s.kind < TOP_KINDS)
		r->kinds[x->s.kind] += x->s.total;
	r->rate += x->rate;
	r->waited += x->s.waited;
	r->wait_ns += x->s.wait_ns;
	if (r->wait_max_ns < x->s.wait_max_ns)
		r->wait_max_ns = x->s.wait_max_ns;
	if (x->latest && (!r->latest || r->latest->when.ts_ns < x->when.ts_ns))
		r->latest = x;
}

void top_row_sum(const struct snapshot *s, enum top_by by, struct top_row *r)
{
	struct top_row sum = { 0 };

	memcpy(sum.prog, r->prog, sizeof(sum.prog));
	memcpy(sum.lock, r->lock, sizeof(sum.lock));
	for (size_t i = 0; i < s->nr; i++)
		if (top_row_has(&sum, by, &s->all[i].s))
			row_add(&sum, &s->all[i]);
	for (size_t i = 0; by == TOP_BY_LOCK && i < s->nr_contended; i++)
		if (!strcmp(sum.lock, s->contended[i].lock))
			sum.contended = &s->contended[i];
	*r = sum;
}

static size_t keep_matching(struct top_row *rows, size_t nr, enum top_by by, const char *filter)
{
	size_t kept = 0;

	for (size_t i = 0; i < nr; i++)
		if (!*filter ||
		    strcasestr(top_row_name(&rows[i], by, (char[TOP_ROW_NAME]){ 0 }), filter))
			rows[kept++] = rows[i];
	return kept;
}

struct order {
	enum top_by by;
	enum top_sort sort;
};

static double row_value(const struct top_row *r, enum top_sort sort)
{
	switch (sort) {
	case TOP_RATE:
		return r->rate;
	case TOP_WAIT:
		return r->wait_ns;
	case TOP_MAX:
		return r->wait_max_ns;
	case TOP_CONTENDED:
		return r->contended ? r->contended->total_ns : 0;
	default:
		return sort == TOP_FAILURES ? r->failures : 0;
	}
}

/* Equal rows are sorted by their number of failures, then by name: no row jumps about. */
static int row_compare(const void *a, const void *b, void *ctx)
{
	const struct order *o = ctx;
	const struct top_row *x = a, *y = b;
	double d = row_value(y, o->sort) - row_value(x, o->sort);

	if (!d && o->sort != TOP_NAME)
		d = (double)y->failures - (double)x->failures;
	if (d)
		return d < 0 ? -1 : 1;
	return strcmp(top_row_name(x, o->by, (char[TOP_ROW_NAME]){ 0 }),
		      top_row_name(y, o->by, (char[TOP_ROW_NAME]){ 0 }));
}

static void add_contended(struct top_row *rows, size_t *nr, const struct contended *c)
{
	struct series name = { 0 };

	memcpy(name.lock, c->lock, sizeof(name.lock));
	row_of(rows, nr, TOP_BY_LOCK, &name)->contended = c;
}

struct top_row *top_rows(const struct snapshot *s, enum top_by by, enum top_sort sort,
			 const char *filter, size_t *nr)
{
	struct top_row *rows = calloc(s->nr + s->nr_contended + 1, sizeof(*rows));
	struct order order = { by, sort };

	*nr = 0;
	if (!rows)
		return NULL;
	for (size_t i = 0; i < s->nr; i++)
		if (s->all[i].s.total)
			row_add(row_of(rows, nr, by, &s->all[i].s), &s->all[i]);
	for (size_t i = 0; by == TOP_BY_LOCK && i < s->nr_contended; i++)
		add_contended(rows, nr, &s->contended[i]);
	*nr = keep_matching(rows, *nr, by, filter);
	qsort_r(rows, *nr, sizeof(*rows), row_compare, &order);
	return rows;
}
