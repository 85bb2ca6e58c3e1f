// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include "run/report.h"

void report_head(FILE *out)
{
	fprintf(out, "%-18s %7s %10s %6s %6s %7s %12s %10s\n", "LOCK", "THREADS", "MILLION/S",
		"JAIN", "BUSIER", "REMOTE", "LONGEST_NS", "MEAN_NS");
}

void report_row(FILE *out, const struct job *j, const struct result *r)
{
	fprintf(out, "%-18s %7d %10.3f %6.3f %6.3f %7.3f %12.0f %10.0f\n", j->ops->name, j->threads,
		r->rate / 1e6, r->jain, r->busier, r->remote, r->longest, r->mean);
}

void report_json(FILE *out, const struct job *j, const struct result *r)
{
	json_t *o = json_pack(
		"{s:s s:s s:i s:I s:I s:f s:f s:f s:f s:f s:f s:f s:I s:I s:I s:I s:I s:I}", "lock",
		j->ops->name, "topology", j->topo.name, "threads", j->threads, "seed",
		(json_int_t)j->seed, "acquisitions", (json_int_t)r->acquisitions, "seconds",
		r->seconds, "per_second", r->rate, "jain", r->jain, "busier", r->busier, "remote",
		r->remote, "longest_ns", r->longest, "mean_ns", r->mean, "queued",
		(json_int_t)r->queued, "unfair", (json_int_t)r->unfair, "errors",
		(json_int_t)r->errors, "preempted", (json_int_t)r->preempted, "halts",
		(json_int_t)r->halts, "kicks", (json_int_t)r->kicks);

	json_dumpf(o, out, JSON_COMPACT | JSON_PRESERVE_ORDER);
	fputc('\n', out);
	json_decref(o);
}

void report_fault_head(FILE *out)
{
	fprintf(out, "%-18s %7s %7s %12s %12s %12s %9s %8s %6s\n", "LOCK", "CPUS", "PARTIES",
		"P50_NS", "P99_NS", "MAX_NS", "DEADLOCKS", "TIMEOUTS", "UNSEEN");
}

void report_fault_row(FILE *out, const struct job *j, const struct fault_result *r)
{
	fprintf(out, "%-18s %7d %7d %12.0f %12.0f %12.0f %9d %8d %6d\n", j->ops->name, j->threads,
		j->parties, r->p50, r->p99, r->max, r->deadlocks, r->timeouts, r->unseen);
}

void report_fault_json(FILE *out, const struct job *j, const struct fault_result *r)
{
	json_t *o =
		json_pack("{s:s s:s s:i s:i s:i s:f s:f s:f s:i s:i s:i}", "lock", j->ops->name,
			  "topology", j->topo.name, "threads", j->threads, "parties", j->parties,
			  "rounds", j->rounds, "p50_ns", r->p50, "p99_ns", r->p99, "max_ns", r->max,
			  "deadlocks", r->deadlocks, "timeouts", r->timeouts, "unseen", r->unseen);

	json_dumpf(o, out, JSON_COMPACT | JSON_PRESERVE_ORDER);
	fputc('\n', out);
	json_decref(o);
}

void report_locks(FILE *out)
{
	for (int i = 0; lock_at(i); i++)
		fprintf(out, "%-18s %s\n", lock_at(i)->name, lock_at(i)->source);
}
