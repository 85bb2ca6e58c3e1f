// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "output/page/perfetto.h"

#define PID    1 /* of the process that stands for the machine */
#define FORMAT (JSON_COMPACT | JSON_ENSURE_ASCII | JSON_REAL_PRECISION(15))

/* The state of writing a timeline. */
struct writer {
	FILE *out;
	const struct marks *marks;
	const struct known *known;
	int64_t start_ns;
	unsigned long long nr, flows;
	int err;
};

static void event_put(struct writer *w, json_t *event)
{
	fputs(w->nr++ ? ",\n" : "\n", w->out);
	if (!event || json_dumpf(event, w->out, FORMAT))
		w->err = -ENOMEM;
	json_decref(event);
}

/* Not from 0: a viewer takes thread 0 for the idle task. */
static json_int_t track_of(__u32 cpu, bool wait)
{
	return 2 * (json_int_t)cpu + (wait ? 2 : 1);
}

static void process_name(struct writer *w, const char *what, json_t *args)
{
	event_put(w, json_pack("{s:s, s:s, s:i, s:i, s:o}", "ph", "M", "name", what, "pid", PID,
			       "tid", 0, "args", args));
}

static void track_name(struct writer *w, __u32 cpu, bool wait)
{
	json_int_t track = track_of(cpu, wait);
	char name[32];

	snprintf(name, sizeof(name), "CPU %u %s", cpu, wait ? "waits" : "failures");
	event_put(w, json_pack("{s:s, s:s, s:i, s:I, s:{s:s}}", "ph", "M", "name", "thread_name",
			       "pid", PID, "tid", track, "args", "name", name));
	event_put(w,
		  json_pack("{s:s, s:s, s:i, s:I, s:{s:I}}", "ph", "M", "name", "thread_sort_index",
			    "pid", PID, "tid", track, "args", "sort_index", track));
}

static int cpu_order(const void *a, const void *b)
{
	const __u32 *m = a, *n = b;

	return (*m > *n) - (*m < *n);
}

static int tracks_name(struct writer *w)
{
	size_t nr = w->marks->nr;
	__u32 *cpus = calloc(nr + 1, sizeof(*cpus));

	if (!cpus)
		return -ENOMEM;
	for (size_t i = 0; i < nr; i++)
		cpus[i] = w->marks->all[i].cpu;
	qsort(cpus, nr, sizeof(*cpus), cpu_order);
	process_name(w, "process_name", json_pack("{s:s}", "name", "resilient locks"));
	for (size_t i = 0; i < nr; i++) {
		if (i && cpus[i] == cpus[i - 1])
			continue;
		track_name(w, cpus[i], false);
		track_name(w, cpus[i], true);
	}
	free(cpus);
	return 0;
}

static double us_of(const struct writer *w, int64_t ns)
{
	return (ns - w->start_ns) / 1000.0;
}

static void arg_put(const struct writer *w, json_t *args, const char *name, const char *text)
{
	char buf[REPORT_NAME];

	if (text)
		json_object_set_new(args, name, json_string(known_better(w->known, text, buf)));
}

static json_t *mark_args(const struct writer *w, const struct mark *m)
{
	json_t *args = json_object();

	arg_put(w, args, "program", m->prog);
	arg_put(w, args, "line", m->at);
	arg_put(w, args, "wants", m->lock);
	arg_put(w, args, "holds", m->held);
	arg_put(w, args, "task", m->comm);
	if (m->tid > 0)
		json_object_set_new(args, "thread", json_integer(m->tid));
	arg_put(w, args, "errno", m->errno_name);
	arg_put(w, args, "source", m->source);
	if (m->wait && !m->begin_known)
		arg_put(w, args, "begin", "not known");
	else if (m->cut)
		arg_put(w, args, "begin", "not exact");
	return args;
}

static void failure_put(struct writer *w, const struct mark *m)
{
	event_put(w, json_pack("{s:s, s:s, s:s, s:s, s:i, s:I, s:f, s:o}", "ph", "i", "s", "t",
			       "cat", "failure", "name", m->kind ?: "failure", "pid", PID, "tid",
			       track_of(m->cpu, false), "ts", us_of(w, m->begin_ns), "args",
			       mark_args(w, m)));
}

static void wait_put(struct writer *w, const struct mark *m)
{
	char buf[REPORT_NAME], name[REPORT_NAME + 8];

	snprintf(name, sizeof(name), "wants %s",
		 m->lock ? known_better(w->known, m->lock, buf) : "unknown lock");
	event_put(w, json_pack("{s:s, s:s, s:s, s:i, s:I, s:f, s:f, s:o}", "ph", "X", "cat", "wait",
			       "name", name, "pid", PID, "tid", track_of(m->cpu, true), "ts",
			       us_of(w, m->begin_ns), "dur", (m->end_ns - m->begin_ns) / 1000.0,
			       "args", mark_args(w, m)));
}

static void arrow_end(struct writer *w, const struct mark *m, const char *phase, double ts)
{
	json_t *event = json_pack("{s:s, s:s, s:s, s:I, s:i, s:I, s:f}", "ph", phase, "cat",
				  "cycle", "name", m->kind ?: "cycle", "id", (json_int_t)w->flows,
				  "pid", PID, "tid", track_of(m->cpu, true), "ts", ts);

	if (*phase == 'f')
		json_object_set_new(event, "bp", json_string("e"));
	event_put(w, event);
}

/* An arrow belongs to the slice that is there at its time: a time at which all waits are there. */
static double cycle_time(const struct writer *w, const struct mark *m, size_t nr)
{
	int64_t begin = m->begin_ns;

	for (size_t i = 1; i < nr; i++)
		begin = m[i].begin_ns > begin ? m[i].begin_ns : begin;
	return (us_of(w, begin) + us_of(w, m->end_ns)) / 2;
}

static void cycle_put(struct writer *w, const struct mark *m, size_t nr)
{
	double ts = cycle_time(w, m, nr);

	for (size_t i = 0; i < nr; i++) {
		const struct mark *next = &m[(i + 1) % nr];

		if (next->cpu == m[i].cpu || (i + 1 == nr && !m->whole))
			continue;
		w->flows++;
		arrow_end(w, &m[i], "s", ts);
		arrow_end(w, next, "f", ts);
	}
}

static void cycles_put(struct writer *w)
{
	const struct mark *all = w->marks->all;
	size_t nr;

	for (size_t i = 0; i < w->marks->nr; i += nr) {
		nr = 1;
		while (all[i].cycle && i + nr < w->marks->nr && all[i + nr].cycle == all[i].cycle)
			nr++;
		if (nr > 1)
			cycle_put(w, &all[i], nr);
	}
}

/* Times are relative: a viewer has too few digits for those since 1970. */
static void start_set(struct writer *w, json_t *about)
{
	char text[40];
	time_t seconds;
	struct tm tm;

	w->start_ns = w->marks->nr ? w->marks->drawn[0]->begin_ns : 0;
	seconds = w->start_ns / 1000000000;
	if (!w->marks->nr || !gmtime_r(&seconds, &tm))
		return;
	strftime(text, sizeof(text), "%Y-%m-%dT%H:%M:%S", &tm);
	snprintf(text + strlen(text), sizeof(text) - strlen(text), ".%09lldZ",
		 (long long)(w->start_ns % 1000000000));
	json_object_set_new(about, "start", json_string(text));
}

int perfetto_write(FILE *out, const struct marks *m, const struct known *known, json_t *about)
{
	struct writer w = { .out = out, .marks = m, .known = known };
	int err;

	start_set(&w, about);
	fputs("{\"displayTimeUnit\":\"ns\",\"otherData\":", out);
	err = json_dumpf(about, out, FORMAT) ? -ENOMEM : 0;
	json_decref(about);
	fputs(",\"traceEvents\":[", out);
	err = err ?: tracks_name(&w);
	for (size_t i = 0; i < m->nr; i++)
		if (m->drawn[i]->wait)
			wait_put(&w, m->drawn[i]);
		else
			failure_put(&w, m->drawn[i]);
	cycles_put(&w);
	fputs("\n]}\n", out);
	return err ?: w.err;
}
