// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include <ctype.h>
#include <stdio.h>
#include <string.h>

#include "base/duration.h"
#include "top/columns.h"
#include "top/contention.h"
#include "top/snapshot.h"
#include "trace/failure.h"

#define CELL 16

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

/* "1.64ms"; "-": not known of any. */
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

void top_columns(const struct top_row *r, bool waits, char buf[TOP_COLUMNS])
{
	const __u64 *k = r->kinds;
	__u64 deadlocks = k[RQSPIN_AA] + k[RQSPIN_ABBA] + k[RQSPIN_CYCLE] + k[RQSPIN_NESTED];
	char rate[CELL], dead[CELL], late[CELL], mean[CELL], longest[CELL];
	int n;

	n = snprintf(buf, TOP_COLUMNS, "%8llu %6s %6s %6s %7s %7s", (unsigned long long)r->failures,
		     short_rate(r->rate, rate), short_count(deadlocks, dead),
		     short_count(k[RQSPIN_TIMEOUT], late),
		     short_wait(r->waited, r->waited ? r->wait_ns / r->waited : 0, mean),
		     short_wait(r->waited, r->wait_max_ns, longest));
	if (waits)
		put_contention(r->contended, buf + n, TOP_COLUMNS - n);
}

void top_heads(enum top_by by, bool waits, char *buf, size_t size)
{
	static const char *const names[TOP_NR_BY] = { "LOCK", "PROGRAM", "PROGRAM, LOCK" };

	snprintf(buf, size, "%8s %6s %6s %6s %7s %7s%s  %s", "FAILURES", "/S", "DEADLK", "TMOUT",
		 "WAIT", "MAX", waits ? "  WAITS   TOTAL" : "", names[by]);
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
