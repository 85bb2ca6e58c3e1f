// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include <stdio.h>
#include <string.h>
#include <sys/utsname.h>

#include "base/json_out.h"
#include "base/out.h"
#include "kernel/maplocks.h"
#include "names/proginfo.h"
#include "output/call_view.h"
#include "output/failure_json.h"
#include "output/lock_view.h"
#include "output/print_opts.h"
#include "output/wait_totals.h"
#include "output/wall_time.h"
#include "events/source.h"
#include "events/session.h"

#define SCHEMA "rqspin-event/2"

static json_t *id_or_null(__u64 v, bool known)
{
	return known ? json_integer(v) : json_null();
}

static json_t *locks_json(const struct lock_view *v, const __u64 *locks, __u32 nr)
{
	json_t *list;

	if (nr == HELD_UNKNOWN)
		return json_null();
	list = json_array();
	for (__u32 i = 0; i < nr && i < RQSPIN_EVENT_HELD; i++)
		json_array_append_new(list, lock_view_json(v, locks[i]));
	return list;
}

static json_t *nr_json(__u32 nr, bool some)
{
	return id_or_null(nr, nr != HELD_UNKNOWN && !some);
}

/* Of a thread that is gone only its id may be known. */
static bool task_pid_known(const struct failure_task *t)
{
	return t->known && (t->pid || !t->tid);
}

static json_t *owner_json(const struct lock_view *v, const struct failure *f)
{
	const struct rqspin_event *ev = &f->ev;
	json_t *j;

	if (ev->owner_cpu < 0)
		return json_null();
	j = json_object();
	json_object_set_new(j, "cpu", json_integer(ev->owner_cpu));
	json_object_set_new(j, "pid", id_or_null(f->owner.pid, task_pid_known(&f->owner)));
	json_object_set_new(j, "tid", id_or_null(f->owner.tid, f->owner.known));
	json_object_set_new(j, "comm", json_text(f->owner.known ? f->owner.comm : NULL));
	json_object_set_new(j, "held", locks_json(v, ev->owner_held, ev->nr_owner_held));
	json_object_set_new(j, "nr_held", nr_json(ev->nr_owner_held, f->some_owner_held));
	json_object_set_new(j, "wants", lock_view_json(v, ev->owner_wants));
	return j;
}

static json_t *chain_json(const struct lock_view *v, const struct failure *f)
{
	json_t *list;

	/* A report in words has the number of members only. */
	if (!f->told || (f->ev.parties > 1 && !f->nr_chain))
		return json_null();
	list = json_array();
	for (__u32 i = 0; i < f->nr_chain; i++) {
		json_t *hop = json_object();

		json_object_set_new(hop, "cpu", json_integer(f->chain[i].cpu));
		json_object_set_new(hop, "tid", id_or_null(f->chain[i].tid, f->chain[i].tid));
		json_object_set_new(hop, "wants", lock_view_json(v, f->chain[i].wants));
		call_json(hop, v, f->chain[i].at);
		json_array_append_new(list, hop);
	}
	return list;
}

json_t *failure_at_json(const struct failure *f)
{
	return line_json(f->prog, f->file, f->ev.line, !f->report_line);
}

static void set_what(json_t *j, const struct rqspin_event *ev)
{
	json_object_set_new(j, "kind", json_string(kind_name(ev->kind)));
	json_object_set_new(j, "parties", id_or_null(ev->parties, ev->parties));
	json_object_set_new(j, "err", id_or_null((__s64)ev->err, ev->err));
	json_object_set_new(j, "errno",
			    ev->err ? json_text(strerrorname_np(-ev->err)) : json_null());
}

void failure_who_json(json_t *j, const struct failure *f)
{
	json_object_set_new(j, "cpu", json_integer(f->ev.cpu));
	json_object_set_new(j, "pid", id_or_null(f->ev.pid, f->ev.pid || !f->ev.tid));
	json_object_set_new(j, "tid", id_or_null(f->ev.tid, f->ev.tid || !f->ev.pid));
	json_object_set_new(j, "comm", json_text(f->ev.comm));
	json_object_set_new(j, "prog",
			    prog_json(f->prog_id, f->prog ? f->prog->full_name : f->ev.prog));
	json_object_set_new(j, "map_id", id_or_null(f->map_id, f->map_id));
}

char *failure_json_body(const struct failure *f, const struct lock_view *v, bool stacks)
{
	const struct rqspin_event *ev = &f->ev;
	json_t *j = json_object();
	char *body;

	set_what(j, ev);
	failure_who_json(j, f);
	json_object_set_new(j, "returned",
			    f->returned ? json_text(strerrorname_np(f->returned)) : json_null());
	json_object_set_new(j, "lock", lock_view_json_or(v, ev->lock, f->map_id));
	json_object_set_new(j, "held", locks_json(v, ev->held, ev->nr_held));
	json_object_set_new(j, "nr_held", nr_json(ev->nr_held, f->some_held));
	json_object_set_new(j, "owner", owner_json(v, f));
	json_object_set_new(j, "chain", chain_json(v, f));
	json_object_set_new(j, "at", failure_at_json(f));
	json_object_set_new(j, "source", json_string(f->source->name));
	json_object_set_new(j, "joined", json_text(f->joined ? f->joined->name : NULL));
	json_object_set_new(j, "sampled", json_boolean(f->sampled));
	json_object_set_new(j, "report", stacks ? json_text(f->report) : json_null());
	body = json_dumps(j, JSON_COMPACT);
	json_decref(j);
	return body;
}

int failure_json(const struct failure *f, const char *body)
{
	char when[40], wait[24] = "null";

	wall_time(f->ev.ts_ns, true, when);
	if (f->ev.wait_ns != WAIT_UNKNOWN)
		snprintf(wait, sizeof(wait), "%lld", (long long)f->ev.wait_ns);
	printf("{\"schema\":\"" SCHEMA "\",\"type\":\"failure\",\"time\":\"%s\",\"ts_ns\":%lld,"
	       "\"wait_ns\":%s,%s\n",
	       when, (long long)f->ev.ts_ns, wait, body + 1);
	return out_state();
}

json_t *failure_json_object(const char *body, __u64 ts_ns, __u64 wait_ns)
{
	json_t *j = json_loads(body, 0, NULL);
	char when[40];

	if (!j)
		return NULL;
	wall_time(ts_ns, true, when);
	json_object_set_new(j, "schema", json_string(SCHEMA));
	json_object_set_new(j, "type", json_string("failure"));
	json_object_set_new(j, "time", json_string(when));
	json_object_set_new(j, "ts_ns", json_integer(ts_ns));
	json_object_set_new(j, "wait_ns", id_or_null(wait_ns, wait_ns != WAIT_UNKNOWN));
	return j;
}

int repeat_json(const struct failure *f, const struct lock_view *v, unsigned long long again)
{
	json_t *j = json_object();

	json_object_set_new(j, "schema", json_string(SCHEMA));
	json_object_set_new(j, "type", json_string("repeat"));
	json_object_set_new(j, "again", json_integer(again));
	json_object_set_new(j, "ts_ns", json_integer(f->ev.ts_ns));
	json_object_set_new(j, "kind", json_string(kind_name(f->ev.kind)));
	json_object_set_new(j, "prog",
			    prog_json(f->prog_id, f->prog ? f->prog->full_name : f->ev.prog));
	json_object_set_new(j, "lock", lock_view_json_or(v, f->ev.lock, f->map_id));
	json_object_set_new(j, "at", failure_at_json(f));
	return json_put_line(j);
}

/* The map types that have locks of the mask. */
static json_t *maplocks_json(unsigned int mask)
{
	char types[160], *rest = types, *type;
	json_t *list = json_array();

	maplocks_types(mask, types, sizeof(types));
	while ((type = strsep(&rest, ", ")))
		if (*type)
			json_array_append_new(list, json_string(type));
	return list;
}

void losses_json(json_t *j, const struct losses *l)
{
	json_object_set_new(j, "lost", json_integer(l->lost));
	json_object_set_new(j, "lost_unknown", json_boolean(l->unknown));
	json_object_set_new(j, "programs_missed", json_integer(l->missed));
	json_object_set_new(j, "programs_unseen", json_integer(l->unseen));
	json_object_set_new(j, "map_types_unseen", maplocks_json(l->blind));
}

static json_t *totals_json(const struct tally *t)
{
	json_t *list = json_array();

	for (size_t i = 0; i < tally_nr(t); i++) {
		const struct tally_row *r = tally_at(t, i);
		json_t *j = json_object();

		json_object_set_new(j, "prog_id", id_or_null(r->prog_id, r->prog_id));
		json_object_set_new(j, "prog", json_text(r->prog));
		json_object_set_new(j, "kind",
				    r->others ? json_null() : json_string(kind_name(r->kind)));
		json_object_set_new(j, "failures", json_integer(r->failures));
		json_object_set_new(j, "lost", json_integer(r->lost));
		json_array_append_new(list, j);
	}
	return list;
}

/* The command line as it was typed, apart from quotes. */
static json_t *command_json(void)
{
	FILE *in = fopen("/proc/self/cmdline", "re");
	char text[4096];
	size_t len = in ? fread(text, 1, sizeof(text) - 1, in) : 0;

	if (in)
		fclose(in);
	for (size_t i = 0; i < len; i++)
		if (!text[i])
			text[i] = i + 1 < len ? ' ' : 0;
	text[len] = 0;
	return json_text(len ? text : NULL);
}

/* The machine and the command, for a reader elsewhere. */
static void add_origin(json_t *to)
{
	struct utsname uts;

	uname(&uts);
	json_object_set_new(to, "host", json_text(uts.nodename));
	json_object_set_new(to, "kernel", json_text(uts.release));
	json_object_set_new(to, "command", command_json());
}

int summary_json(struct session *s, const struct trace_totals *t)
{
	json_t *j = json_object(), *kinds = json_object();
	char sources[128];

	session_sources(s, sources, sizeof(sources));
	for (__u32 k = RQSPIN_UNKNOWN; k <= RQSPIN_NESTED; k++)
		json_object_set_new(kinds, kind_name(k), json_integer(t->by_kind[k]));
	json_object_set_new(j, "schema", json_string(SCHEMA));
	json_object_set_new(j, "type", json_string("summary"));
	json_object_set_new(j, "events", json_integer(t->events));
	json_object_set_new(j, "shown", json_integer(t->shown));
	json_object_set_new(j, "repeats", json_integer(t->repeats));
	json_object_set_new(j, "kinds", kinds);
	json_object_set_new(j, "of_others", json_integer(t->foreign));
	json_object_set_new(j, "skipped", json_integer(t->skipped));
	json_object_set_new(j, "totals", totals_json(&t->tally));
	losses_json(j, &t->losses);
	json_object_set_new(j, "waits", wait_totals_json(&t->waits));
	json_object_set_new(j, "sources", json_string(sources));
	add_origin(j);
	return json_put_line(j);
}
