// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include <ctype.h>
#include <stdio.h>
#include <string.h>

#include "base/duration.h"
#include "base/escape.h"
#include "output/screen/columns.h"
#include "output/screen/contention.h"
#include "output/screen/snapshot.h"
#include "events/failure.h"

#define CELL	   16
#define GAP	   2
#define LATEST_MIN 40 /* fewer columns are not worth while */

/* "1234567", "12.3M": six characters at most. */
static const char *short_count(double v, char buf[CELL])
{
	static const char units[] = " kMGTPE";
	unsigned int unit = 0;

	while (v >= 99999.5 && unit + 1 < sizeof(units) - 1) {
		v /= 1000;
		unit++;
	}
	snprintf(buf, CELL, unit ? "%.0f%c" : "%.0f", v, units[unit]);
	return buf;
}

static const char *short_rate(double v, char buf[CELL])
{
	if (v > 0 && v < 99.95)
		snprintf(buf, CELL, "%.1f", v);
	else
		short_count(v, buf);
	return buf;
}

/* "1.64ms", or "-" if no wait is known. */
static const char *short_wait(bool known, __u64 ns, char buf[CELL])
{
	char *space;

	if (!known)
		return "-";
	format_ns(ns, buf);
	space = strchr(buf, ' ');
	if (space)
		memmove(space, space + 1, strlen(space));
	return buf;
}

/* How many waits, and how long they were in all. */
static void put_contention(const struct contended *c, char *buf, size_t size)
{
	char count[CELL], total[CELL];

	snprintf(buf, size, " %6s %7s", c ? short_count(c->count, count) : "-",
		 short_wait(c, c ? c->total_ns : 0, total));
}

static void put_numbers(const struct top_layout *l, const struct top_row *r, char buf[TOP_NUMBERS])
{
	const __u64 *k = r->kinds;
	__u64 deadlocks = k[RQSPIN_AA] + k[RQSPIN_ABBA] + k[RQSPIN_CYCLE] + k[RQSPIN_NESTED];
	char rate[CELL], dead[CELL], late[CELL], mean[CELL], longest[CELL];
	int n;

	n = snprintf(buf, TOP_NUMBERS, "%8llu %6s %6s %6s", (unsigned long long)r->failures,
		     short_rate(r->rate, rate), short_count(deadlocks, dead),
		     short_count(k[RQSPIN_TIMEOUT], late));
	if (l->failing)
		n += snprintf(buf + n, TOP_NUMBERS - n, " %7s %7s",
			      short_wait(r->waited, r->waited ? r->wait_ns / r->waited : 0, mean),
			      short_wait(r->waited, r->wait_max_ns, longest));
	if (l->waits)
		put_contention(r->contended, buf + n, TOP_NUMBERS - n);
}

static int numbers_width(const struct top_layout *l)
{
	return 29 + (l->failing ? 16 : 0) + (l->waits ? 15 : 0);
}

static bool any_waited(const struct snapshot *s)
{
	for (size_t i = 0; i < s->nr; i++)
		if (s->all[i].s.waited)
			return true;
	return false;
}

static int width_longer(int width, const char *name)
{
	int len = strlen(escaped(name));

	return len > width ? len : width;
}

/* The names get what they need, the latest failure what is left if that is worth it. */
static void fit_names(struct top_layout *l, int room)
{
	int names = l->first + GAP + l->second;

	if (names + GAP + LATEST_MIN <= room) {
		l->latest = room - names - GAP;
	} else if (names > room) {
		int half = (room - GAP) / 2;

		if (l->second > half)
			l->second = room - GAP - l->first > half ? room - GAP - l->first : half;
		l->first = room - GAP - l->second;
	}
	if (l->first < 1 || l->second < 1)
		l->first = l->second = 1;
}

struct top_layout top_layout_of(const struct snapshot *s, enum top_by by,
				const struct top_row *rows, size_t nr, int width)
{
	struct top_layout l = { .waits = s->waits, .failing = any_waited(s) };
	char name[TOP_ROW_NAME];

	l.first = l.second = strlen("PROGRAM");
	for (size_t i = 0; i < nr; i++) {
		l.first = width_longer(l.first, top_row_first(&rows[i], by));
		l.second = width_longer(l.second, top_row_second(s, &rows[i], by, name));
	}
	if (width)
		fit_names(&l, width - numbers_width(&l) - GAP);
	return l;
}

/* The bytes that fit into the width, without a part of a character. */
static int text_fitting(const char *text, int width)
{
	int len = strlen(text);

	if (len <= width)
		return len;
	while (width && (text[width] & 0xc0) == 0x80)
		width--;
	return width;
}

static void put_name(FILE *out, const char *name, int width)
{
	const char *text = escaped(name);
	int len = text_fitting(text, width);

	fprintf(out, "%*s%.*s%*s", GAP, "", len, text, width - len, "");
}

static char *line_end(FILE *out, char **line)
{
	size_t len;

	if (fclose(out))
		return NULL;
	for (len = strlen(*line); len && (*line)[len - 1] == ' '; len--)
		;
	(*line)[len] = 0;
	return *line;
}

char *top_heads(const struct top_layout *l, enum top_by by)
{
	char *line = NULL;
	size_t size;
	FILE *out = open_memstream(&line, &size);

	if (!out)
		return NULL;
	fprintf(out, "%8s %6s %6s %6s%s%s", "FAILURES", "/S", "DEADLK", "TMOUT",
		l->failing ? "    WAIT     MAX" : "", l->waits ? "  WAITS   TOTAL" : "");
	put_name(out, by == TOP_BY_LOCK ? "LOCK" : "PROGRAM", l->first);
	put_name(out, by == TOP_BY_LOCK ? "PROGRAM" : "LOCK", l->second);
	if (l->latest)
		put_name(out, "LATEST FAILURE", l->latest);
	return line_end(out, &line);
}

char *top_line(const struct top_layout *l, const struct snapshot *s, enum top_by by,
	       const struct top_row *r)
{
	char *line = NULL, numbers[TOP_NUMBERS], name[TOP_ROW_NAME];
	size_t size;
	FILE *out = open_memstream(&line, &size);

	if (!out)
		return NULL;
	put_numbers(l, r, numbers);
	fputs(numbers, out);
	put_name(out, top_row_first(r, by), l->first);
	put_name(out, top_row_second(s, r, by, name), l->second);
	/* The text was escaped when it was composed. */
	if (l->latest && r->latest)
		fprintf(out, "%*s%.*s", GAP, "", text_fitting(r->latest->latest, l->latest),
			r->latest->latest);
	return line_end(out, &line);
}

void top_sums(const struct snapshot *s, char *buf, size_t size)
{
	char unnamed[64] = "", counted[48] = "", dropped[48] = "";

	if (s->counted_only)
		snprintf(counted, sizeof(counted), "; only counted: %llu",
			 (unsigned long long)s->counted_only);
	if (s->unnamed)
		snprintf(unnamed, sizeof(unnamed), "; without a name: %llu%s",
			 (unsigned long long)s->unnamed, s->full ? " (more than --max-rows)" : "");
	if (s->waits_dropped)
		snprintf(dropped, sizeof(dropped), "; waits dropped: %llu",
			 (unsigned long long)s->waits_dropped);
	snprintf(buf, size, "%llu failures, %.1f/s%s%s%s", (unsigned long long)s->failures, s->rate,
		 counted, unnamed, dropped);
}
