// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include <stdio.h>
#include <string.h>

#include "base/duration.h"
#include "base/escape.h"
#include "output/wall_time.h"
#include "output/screen/contention.h"
#include "output/screen/detail.h"
#include "output/screen/snapshot.h"
#include "events/failure.h"

static const char *name_known(const char *name)
{
	return name[0] ? name : "?";
}

static void put_counts(FILE *out, const struct top_row *r)
{
	const char *sep = "(";

	fprintf(out, "%llu failures ", (unsigned long long)r->failures);
	for (__u32 k = RQSPIN_UNKNOWN; k <= RQSPIN_NESTED; k++) {
		if (!r->kinds[k])
			continue;
		fprintf(out, "%s%s %llu", sep, kind_name(k), (unsigned long long)r->kinds[k]);
		sep = ", ";
	}
	fprintf(out, "%s%.1f/s; %llu of them only counted\n", *sep == ',' ? "), " : "", r->rate,
		(unsigned long long)r->lost);
}

static void put_waits(FILE *out, const struct top_row *r)
{
	char mean[16], longest[16];

	if (!r->failures)
		return;
	if (!r->waited) {
		fputs("how long they waited is not known here\n", out);
		return;
	}
	fprintf(out, "%llu waits of failing acquisitions: average %s, longest %s\n",
		(unsigned long long)r->waited, format_ns(r->wait_ns / r->waited, mean),
		format_ns(r->wait_max_ns, longest));
}

static void put_contended(FILE *out, const struct contended *c)
{
	char total[16], longest[16];

	if (c)
		fprintf(out,
			"%llu waits for it, also those that ended well: total %s, longest %s\n",
			(unsigned long long)c->count, format_ns(c->total_ns, total),
			format_ns(c->max_ns, longest));
}

static void put_series(FILE *out, const struct snapshot *s, const struct top_row *r, enum top_by by)
{
	fputs("\n", out);
	for (size_t i = 0; i < s->nr; i++) {
		const struct series *x = &s->all[i].s;

		if (x->total && top_row_has(r, by, x))
			fprintf(out, "%8llu  %-8s %-16s %s\n", (unsigned long long)x->total,
				kind_name(x->kind), escaped(name_known(x->prog)),
				escaped(name_known(x->lock)));
	}
}

/* The other side of a failure, and each member of a cycle, have a line of their own. */
static void put_parts(FILE *out, const char *text)
{
	static const char *const seps[] = { "; ", " holds ", " of cpu ", NULL };

	while (*text) {
		size_t end = strlen(text), skip = 0;

		for (int i = 0; seps[i]; i++) {
			const char *p = strstr(text + 1, seps[i]);

			if (!p || (size_t)(p - text) >= end)
				continue;
			end = p - text;
			skip = i ? 1 : 2;
		}
		fprintf(out, "  %.*s\n", (int)end, text);
		text += end + skip;
		if (!skip)
			break;
	}
}

static void put_latest(FILE *out, const struct top_row *r)
{
	char when[40], wait[16];

	if (!r->failures)
		return;
	if (!r->latest) {
		fputs("\nno failure was handed out yet: they were only counted\n", out);
		return;
	}
	wall_time(r->latest->when.ts_ns, false, when);
	fprintf(out, "\nlatest failure, %s:\n", when);
	put_parts(out, r->latest->latest);
	if (r->latest->when.wait_ns != WAIT_UNKNOWN)
		fprintf(out, "  waited %s\n", format_ns(r->latest->when.wait_ns, wait));
}

char *top_detail(const struct snapshot *s, const struct top_row *row, enum top_by by)
{
	struct top_row r = *row;
	char *text = NULL;
	size_t size;
	FILE *out = open_memstream(&text, &size);

	if (!out)
		return NULL;
	top_row_sum(s, by, &r);
	if (by != TOP_BY_PROG)
		fprintf(out, "lock     %s\n", escaped(name_known(r.lock)));
	if (by != TOP_BY_LOCK)
		fprintf(out, "program  %s\n", escaped(name_known(r.prog)));
	put_counts(out, &r);
	put_waits(out, &r);
	put_contended(out, r.contended);
	put_series(out, s, &r, by);
	put_latest(out, &r);
	return fclose(out) ? NULL : text;
}
