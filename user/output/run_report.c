// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <linux/bpf.h>
#include <sys/utsname.h>

#include "base/escape.h"
#include "base/duration.h"
#include "base/json_out.h"
#include "output/run_report.h"

static void total_make(const struct report *r, struct role_result *total)
{
	*total = (struct role_result){
		.counts = results_total(r->results, r->drive->nr_roles),
	};
	for (unsigned int i = 0; i < r->drive->nr_roles; i++) {
		hist_merge_hist(&total->ok, &r->results[i].ok);
		hist_merge_hist(&total->fail, &r->results[i].fail);
		hist_merge_hist(&total->run, &r->results[i].run);
	}
}

static json_t *hist_json(const struct hist *h)
{
	struct percentiles p;

	if (!hist_percentiles(h, &p))
		return json_null();
	return json_pack("{s:I, s:I, s:I, s:I}", "p50", (json_int_t)p.p50, "p90", (json_int_t)p.p90,
			 "p99", (json_int_t)p.p99, "max", (json_int_t)p.max);
}

static json_t *failures_json(const struct counts *c)
{
	return json_pack("{s:I, s:I, s:I}", "EDEADLK", (json_int_t)c->edeadlk, "ETIMEDOUT",
			 (json_int_t)c->etimedout, "other", (json_int_t)c->other);
}

static void add_counts(json_t *to, enum counted_by by, const struct role_result *res)
{
	const struct counts *c = &res->counts;
	bool known = by != COUNTED_BY_NONE;

	json_object_set_new(to, "acquired", known ? json_integer(c->ok) : json_null());
	json_object_set_new(to, "failed", known ? json_integer(counts_failed(c)) : json_null());
	json_object_set_new(to, "failures", known ? failures_json(c) : json_null());
	json_object_set_new(to, "latency_ns",
			    json_pack("{s:o, s:o}", "acquired", hist_json(&res->ok), "failed",
				      hist_json(&res->fail)));
	json_object_set_new(to, "run_ns", hist_json(&res->run));
}

static json_t *returned_json(const struct role *role)
{
	json_t *a = json_array();

	for (unsigned int i = 0; i < role->nr_returned; i++)
		json_array_append_new(a, json_pack("{s:i, s:I}", "value", role->returned[i].value,
						   "times", (json_int_t)role->returned[i].times));
	if (role->returned_others)
		json_array_append_new(a, json_pack("{s:n, s:I}", "value", "times",
						   (json_int_t)role->returned_others));
	return a;
}

static json_t *role_json(const struct role *role, enum counted_by by, const struct role_result *res)
{
	json_t *o = json_pack("{s:o, s:I, s:i, s:I, s:I}", "program", json_text(role->prog),
			      "program_id", (json_int_t)role->prog_id, "cpu", role->cpu, "rounds",
			      (json_int_t)role->rounds, "alone", (json_int_t)role->alone);

	json_object_set_new(o, "returned", returned_json(role));
	add_counts(o, by, res);
	return o;
}

json_t *report_json(const struct report *r)
{
	static const char *const by[] = { [COUNTED_BY_PROGRAM] = "program",
					  [COUNTED_BY_RETURN] = "return",
					  [COUNTED_BY_CALLS] = "calls",
					  [COUNTED_BY_NONE] = "none" };
	json_t *roles = json_array(), *sums = json_object();
	struct role_result total;
	struct utsname uts;

	uname(&uts);
	total_make(r, &total);
	add_counts(sums, r->by, &total);
	for (unsigned int i = 0; i < r->drive->nr_roles; i++)
		json_array_append_new(roles, role_json(&r->drive->roles[i], r->by, &r->results[i]));
	/* A path may hold any byte. */
	return json_pack("{s:s, s:o, s:o, s:s, s:f, s:b, s:s, s:o, s:o, s:o, s:s?}", "schema",
			 "rqspin-run/1", "sample", json_text(r->name), "object",
			 json_text(r->object), "kernel", uts.release, "seconds", r->drive->elapsed,
			 "interrupted", !!r->drive->signal, "counted_by", by[r->by], "roles", roles,
			 "total", sums, "as_expected",
			 r->judged ? json_boolean(!r->differs) : json_null(), "differs",
			 r->differs);
}

static bool shows_returns(const struct report *r)
{
	return r->by == COUNTED_BY_CALLS || r->by == COUNTED_BY_NONE;
}

static const char *value_text(const struct role *role, int value, char buf[32])
{
	static const char *const xdp[] = { "XDP_ABORTED", "XDP_DROP", "XDP_PASS", "XDP_TX",
					   "XDP_REDIRECT" };
	const char *name = value < 0 ? strerrorname_np(-value) : NULL;

	if (name)
		snprintf(buf, 32, "-%s", name);
	else if (role->prog_type == BPF_PROG_TYPE_XDP && value >= 0 && value <= XDP_REDIRECT)
		return xdp[value];
	else
		snprintf(buf, 32, "%d", value);
	return buf;
}

/* "XDP_PASS", or "0: 7, -EDEADLK: 3" */
static void print_returned(const struct role *role)
{
	bool one = role->nr_returned == 1;
	char buf[32];

	for (unsigned int i = 0; i < role->nr_returned; i++) {
		printf("%s%s", i ? ", " : "  ", value_text(role, role->returned[i].value, buf));
		if (!one)
			printf(": %" PRIu64, role->returned[i].times);
	}
	if (role->returned_others)
		printf(", others: %" PRIu64, role->returned_others);
}

static int name_width(const struct report *r)
{
	int width = 16;

	for (unsigned int i = 0; i < r->drive->nr_roles; i++) {
		int len = strlen(escaped(r->drive->roles[i].prog));

		width = len > width ? len : width;
	}
	return width;
}

static const char *count_text(const struct report *r, uint64_t n, char buf[24])
{
	if (r->by == COUNTED_BY_NONE)
		return "-";
	snprintf(buf, 24, "%" PRIu64, n);
	return buf;
}

/* role: NULL for the sum of all */
static void print_row(const struct report *r, const struct role *role, uint64_t rounds,
		      const struct counts *c)
{
	char where[16] = "", a[24], b[24], d[24], e[24];

	if (role)
		snprintf(where, sizeof(where), "%d", role->cpu);
	printf("%-*s %4s %10" PRIu64 " %10s %9s %9s %7s", name_width(r),
	       role ? escaped(role->prog) : "total", where, rounds, count_text(r, c->ok, a),
	       count_text(r, c->edeadlk, b), count_text(r, c->etimedout, d),
	       count_text(r, c->other, e));
	if (role && shows_returns(r))
		print_returned(role);
	putchar('\n');
}

static void print_latency(const struct report *r, const struct role *role, const char *what,
			  const struct hist *h)
{
	struct percentiles p;
	char a[16], b[16], c[16], d[16], where[16] = "";

	if (!hist_percentiles(h, &p))
		return;
	if (role)
		snprintf(where, sizeof(where), "%d", role->cpu);
	printf("%-*s %4s %-10s %10s %10s %10s %10s\n", name_width(r),
	       role ? escaped(role->prog) : "total", where, what, format_ns(p.p50, a),
	       format_ns(p.p90, b), format_ns(p.p99, c), format_ns(p.max, d));
}

static void print_times(const struct report *r, const struct role *role,
			const struct role_result *res)
{
	if (shows_returns(r)) {
		print_latency(r, role, "", &res->run);
		return;
	}
	print_latency(r, role, "acquired", &res->ok);
	print_latency(r, role, "failed", &res->fail);
}

static void print_latencies(const struct report *r, const struct role_result *total)
{
	if (!total->run.total && !total->ok.total && !total->fail.total)
		return;
	/* Only programs with counters of their own measure the lock without the rest of the run. */
	printf("\n%-*s %4s %-10s %10s %10s %10s %10s\n", name_width(r),
	       r->by == COUNTED_BY_PROGRAM ? "LATENCY" : "WHOLE RUN", "CPU", "", "p50", "p90",
	       "p99", "max");
	for (unsigned int i = 0; i < r->drive->nr_roles; i++)
		print_times(r, &r->drive->roles[i], &r->results[i]);
	if (r->drive->nr_roles > 1)
		print_times(r, NULL, total);
}

void report_text(const struct report *r)
{
	struct role_result total;
	uint64_t rounds = 0;

	total_make(r, &total);
	printf("%s%s%s (%.2f s)\n\n", escaped(r->name), r->shows ? ": " : "", r->shows ?: "",
	       r->drive->elapsed);
	printf("%-*s %4s %10s %10s %9s %9s %7s%s\n", name_width(r), "PROGRAM", "CPU", "ROUNDS",
	       "ACQUIRED", "EDEADLK", "ETIMEDOUT", "OTHER", shows_returns(r) ? "  RETURNED" : "");
	for (unsigned int i = 0; i < r->drive->nr_roles; i++) {
		const struct role *role = &r->drive->roles[i];

		print_row(r, role, role->rounds, &r->results[i].counts);
		rounds += role->rounds;
	}
	if (r->drive->nr_roles > 1)
		print_row(r, NULL, rounds, &total.counts);
	print_latencies(r, &total);
}
