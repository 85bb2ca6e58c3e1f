// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include <inttypes.h>
#include <stdio.h>
#include <sys/utsname.h>

#include "base/escape.h"
#include "base/duration.h"
#include "base/json_out.h"
#include "show/run_report.h"

static void total_hists(const struct report *r, struct hist *ok, struct hist *fail)
{
	for (unsigned int i = 0; i < r->drive->nr_roles; i++) {
		hist_merge_hist(ok, &r->results[i].ok);
		hist_merge_hist(fail, &r->results[i].fail);
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

static void add_counts(json_t *to, const struct counts *c, const struct hist *ok,
		       const struct hist *fail)
{
	json_object_set_new(to, "acquired", json_integer(c->ok));
	json_object_set_new(to, "failed", json_integer(counts_failed(c)));
	json_object_set_new(to, "failures",
			    json_pack("{s:I, s:I, s:I}", "EDEADLK", (json_int_t)c->edeadlk,
				      "ETIMEDOUT", (json_int_t)c->etimedout, "other",
				      (json_int_t)c->other));
	json_object_set_new(
		to, "latency_ns",
		json_pack("{s:o, s:o}", "acquired", hist_json(ok), "failed", hist_json(fail)));
}

static json_t *role_json(const struct role *role, const struct role_result *res)
{
	json_t *o = json_pack("{s:o, s:I, s:i, s:I, s:I}", "program", json_text(role->prog),
			      "program_id", (json_int_t)role->prog_id, "cpu", role->cpu, "rounds",
			      (json_int_t)role->rounds, "alone", (json_int_t)role->alone);

	add_counts(o, &res->counts, &res->ok, &res->fail);
	return o;
}

json_t *report_json(const struct report *r)
{
	struct counts sum = results_total(r->results, r->drive->nr_roles);
	struct hist ok = { 0 }, fail = { 0 };
	json_t *roles = json_array(), *total = json_object();
	struct utsname uts;

	uname(&uts);
	total_hists(r, &ok, &fail);
	add_counts(total, &sum, &ok, &fail);
	for (unsigned int i = 0; i < r->drive->nr_roles; i++)
		json_array_append_new(roles, role_json(&r->drive->roles[i], &r->results[i]));
	/* A path may hold any byte. */
	return json_pack("{s:s, s:o, s:o, s:s, s:f, s:b, s:s, s:o, s:o, s:o, s:s?}", "schema",
			 "rqspin-run/1", "sample", json_text(r->name), "object",
			 json_text(r->object), "kernel", uts.release, "seconds", r->drive->elapsed,
			 "interrupted", !!r->drive->signal, "counted_by",
			 r->by_return ? "return" : "program", "roles", roles, "total", total,
			 "as_expected", r->judged ? json_boolean(!r->differs) : json_null(),
			 "differs", r->differs);
}

static void print_row(const char *name, int cpu, uint64_t rounds, const struct counts *c)
{
	char where[16] = "";

	if (cpu >= 0)
		snprintf(where, sizeof(where), "%d", cpu);
	printf("%-16s %4s %10" PRIu64 " %10" PRIu64 " %9" PRIu64 " %9" PRIu64 " %7" PRIu64 "\n",
	       escaped(name), where, rounds, c->ok, c->edeadlk, c->etimedout, c->other);
}

static void print_latency(const char *name, int cpu, const char *what, const struct hist *h)
{
	struct percentiles p;
	char a[16], b[16], c[16], d[16], where[16] = "";

	if (!hist_percentiles(h, &p))
		return;
	if (cpu >= 0)
		snprintf(where, sizeof(where), "%d", cpu);
	printf("%-16s %4s %-10s %10s %10s %10s %10s\n", escaped(name), where, what,
	       format_ns(p.p50, a), format_ns(p.p90, b), format_ns(p.p99, c), format_ns(p.max, d));
}

static void print_latencies(const struct report *r)
{
	struct hist ok = { 0 }, fail = { 0 };

	total_hists(r, &ok, &fail);
	if (!ok.total && !fail.total)
		return;
	/* Only programs with counters of their own tell the lock from the rest. */
	printf("\n%-16s %4s %-10s %10s %10s %10s %10s\n", r->by_return ? "WHOLE RUN" : "LATENCY",
	       "CPU", "", "p50", "p90", "p99", "max");
	for (unsigned int i = 0; i < r->drive->nr_roles; i++) {
		const struct role *role = &r->drive->roles[i];

		print_latency(role->prog, role->cpu, "acquired", &r->results[i].ok);
		print_latency(role->prog, role->cpu, "failed", &r->results[i].fail);
	}
	if (r->drive->nr_roles == 1)
		return;
	print_latency("total", -1, "acquired", &ok);
	print_latency("total", -1, "failed", &fail);
}

void report_text(const struct report *r)
{
	struct counts sum = results_total(r->results, r->drive->nr_roles);
	uint64_t rounds = 0;

	printf("%s%s%s (%.2f s)\n\n", escaped(r->name), r->shows ? ": " : "", r->shows ?: "",
	       r->drive->elapsed);
	printf("%-16s %4s %10s %10s %9s %9s %7s\n", "PROGRAM", "CPU", "ROUNDS", "ACQUIRED",
	       "EDEADLK", "ETIMEDOUT", "OTHER");
	for (unsigned int i = 0; i < r->drive->nr_roles; i++) {
		const struct role *role = &r->drive->roles[i];

		print_row(role->prog, role->cpu, role->rounds, &r->results[i].counts);
		rounds += role->rounds;
	}
	if (r->drive->nr_roles > 1)
		print_row("total", -1, rounds, &sum);
	print_latencies(r);
}
