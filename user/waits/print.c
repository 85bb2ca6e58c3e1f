// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include <jansson.h>
#include <stdio.h>
#include <string.h>

#include "base/clock.h"
#include "base/duration.h"
#include "base/escape.h"
#include "base/json_out.h"
#include "base/out.h"
#include "output/wall_time.h"
#include "waits/print.h"
#include "waits/table.h"

#define BAR 40

static const char *lock_name(const struct wait_row *r)
{
	return *r->lock ? r->lock : "lock?";
}

static void put_hist(const struct wait_row *r)
{
	__u64 most = 1;
	char from[16];

	for (int b = 0; b < WAITS_BUCKETS; b++)
		most = r->sum.hist[b] > most ? r->sum.hist[b] : most;
	for (int b = 0; b < WAITS_BUCKETS; b++) {
		int bar = r->sum.hist[b] * BAR / most;

		if (r->sum.hist[b])
			printf("    from %8s %8llu |%.*s\n", format_ns(1ULL << b, from),
			       (unsigned long long)r->sum.hist[b], bar ?: 1,
			       "########################################");
	}
}

static void put_row(const struct wait_row *r)
{
	char mean[16], longest[16];

	printf("%8llu %8llu %8s %8s  %s%s", (unsigned long long)r->sum.count,
	       (unsigned long long)r->sum.failed, format_ns(r->sum.total_ns / r->sum.count, mean),
	       format_ns(r->sum.max_ns, longest), escaped(lock_name(r)), r->site);
	if (r->cgroup)
		printf(", cgroup %s", escaped(r->cgroup));
	putchar('\n');
	put_hist(r);
}

int wait_print_text(const struct wait_table *t, __u64 dropped, const char *missing)
{
	printf("%8s %8s %8s %8s  %s\n", "WAITS", "FAILED", "AVERAGE", "LONGEST", "LOCK, CALLER");
	if (!t->nr)
		puts("no wait for a resilient lock was seen");
	for (size_t i = 0; i < t->nr; i++)
		put_row(&t->rows[i]);
	printf("dropped: %llu\n", (unsigned long long)dropped);
	if (missing)
		printf("not seen: %s\n", missing);
	return out_flush();
}

static json_t *hist_json(const struct wait_row *r)
{
	json_t *list = json_array();

	for (int b = 0; b < WAITS_BUCKETS; b++)
		if (r->sum.hist[b])
			json_array_append_new(list, json_pack("{s:I, s:I}", "from_ns",
							      (json_int_t)(1ULL << b), "count",
							      (json_int_t)r->sum.hist[b]));
	return list;
}

static json_t *row_json(const struct wait_row *r)
{
	json_t *j = json_object();

	json_object_set_new(j, "lock", json_text(r->lock));
	json_object_set_new(j, "caller", json_text(r->site + (*r->site == ' ')));
	json_object_set_new(j, "stack", json_text(r->stack));
	json_object_set_new(j, "cgroup", json_text(r->cgroup));
	json_object_set_new(j, "cgroup_id", r->cgroup ? json_integer(r->cgroup_id) : json_null());
	json_object_set_new(j, "count", json_integer(r->sum.count));
	json_object_set_new(j, "failed", json_integer(r->sum.failed));
	json_object_set_new(j, "total_ns", json_integer(r->sum.total_ns));
	json_object_set_new(j, "max_ns", json_integer(r->sum.max_ns));
	json_object_set_new(j, "histogram", hist_json(r));
	return j;
}

int wait_print_json(const struct wait_table *t, __u64 dropped, const char *missing)
{
	json_t *j = json_object(), *rows = json_array();
	char when[40];

	for (size_t i = 0; i < t->nr; i++)
		json_array_append_new(rows, row_json(&t->rows[i]));
	wall_time(now_ns(), true, when);
	json_object_set_new(j, "schema", json_string("rqspin-waits/1"));
	json_object_set_new(j, "time", json_string(when));
	json_object_set_new(j, "waits", rows);
	json_object_set_new(j, "dropped", json_integer(dropped));
	json_object_set_new(j, "not_seen", json_text(missing));
	return json_put_line(j) ?: out_flush();
}

/* Semicolons and spaces have a meaning in the format. */
static void put_folded(const char *text)
{
	char frame[sizeof(((struct wait_row *)0)->lock)];

	snprintf(frame, sizeof(frame), "%s", text);
	for (char *c = frame; *c; c++)
		*c = *c == ';' || *c == ' ' ? '_' : *c;
	fputs(escaped(frame), stdout);
}

int wait_print_folded(const struct wait_table *t)
{
	for (size_t i = 0; i < t->nr; i++) {
		const struct wait_row *r = &t->rows[i];

		if (r->cgroup) {
			put_folded(r->cgroup);
			putchar(';');
		}
		printf("%s%s", r->stack, *r->stack ? ";" : "");
		put_folded(lock_name(r));
		printf(" %llu\n", (unsigned long long)r->sum.total_ns);
	}
	return out_flush();
}
