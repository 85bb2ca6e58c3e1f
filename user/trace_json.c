// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include <errno.h>
#include <jansson.h>
#include <stdio.h>
#include <string.h>

#include "lockname.h"
#include "proginfo.h"
#include "trace.h"
#include "trace_print.h"
#include "trace_json.h"

#define SCHEMA "rqspin-event/1"

/* Names come from programs and tasks and may hold any byte; JSON wants UTF-8. */
json_t *json_text(const char *s)
{
	json_t *j = s && *s ? json_string(s) : NULL;

	if (j || !s || !*s)
		return j ? j : json_null();
	char ascii[256];
	size_t i;

	for (i = 0; s[i] && i < sizeof(ascii) - 1; i++)
		ascii[i] = s[i] & 0x80 ? '?' : s[i];
	ascii[i] = 0;
	return json_string(ascii);
}

static json_t *id_or_null(__u64 v, bool known)
{
	return known ? json_integer(v) : json_null();
}

json_t *lockname_json(const struct lockname *n, const struct print_opts *opts)
{
	char text[320], hex[24];
	json_t *j;

	if (!n->addr)
		return json_null();
	lockname_text(n, opts->no_addr, text, sizeof(text));
	snprintf(hex, sizeof(hex), "0x%llx", (unsigned long long)n->addr);
	j = json_object();
	json_object_set_new(j, "name", n->map_id || n->path[0] ? json_text(text) : json_null());
	json_object_set_new(j, "map_id", id_or_null(n->map_id, n->map_id));
	json_object_set_new(j, "map", json_text(n->map));
	json_object_set_new(j, "map_type", json_text(n->map_type));
	json_object_set_new(j, "internal", json_text(n->internal));
	json_object_set_new(j, "index", id_or_null(n->index, n->index >= 0));
	json_object_set_new(j, "key", strcmp(n->key, "?") ? json_text(n->key) : json_null());
	json_object_set_new(j, "path", json_text(n->path));
	json_object_set_new(j, "addr", opts->no_addr ? json_null() : json_string(hex));
	return j;
}

json_t *lock_json(struct locknames *ln, __u64 addr, const struct print_opts *opts)
{
	struct lockname n = { 0 };

	if (addr)
		locknames_find(ln, addr, &n);
	return lockname_json(&n, opts);
}

static json_t *locks_json(struct session *s, const __u64 *locks, __u32 nr,
			  const struct print_opts *opts)
{
	json_t *list;

	if (nr == HELD_UNKNOWN)
		return json_null();
	list = json_array();
	for (__u32 i = 0; i < nr && i < RQSPIN_EVENT_HELD; i++)
		json_array_append_new(list, lock_json(session_locks(s), locks[i], opts));
	return list;
}

static json_t *nr_json(__u32 nr, bool some)
{
	return id_or_null(nr, nr != HELD_UNKNOWN && !some);
}

static json_t *owner_json(struct session *s, const struct failure *f, const struct print_opts *opts)
{
	const struct rqspin_event *ev = &f->ev;
	json_t *j;

	if (ev->owner_cpu < 0)
		return json_null();
	j = json_object();
	json_object_set_new(j, "cpu", json_integer(ev->owner_cpu));
	json_object_set_new(j, "held", locks_json(s, ev->owner_held, ev->nr_owner_held, opts));
	json_object_set_new(j, "nr_held", nr_json(ev->nr_owner_held, f->some_owner_held));
	json_object_set_new(j, "wants", lock_json(session_locks(s), ev->owner_wants, opts));
	return j;
}

static json_t *chain_json(struct session *s, const struct failure *f, const struct print_opts *opts)
{
	json_t *list;

	/* A report in words has the number of members only. */
	if (!f->told || (f->ev.parties > 1 && !f->nr_chain))
		return json_null();
	list = json_array();
	for (__u32 i = 0; i < f->nr_chain; i++) {
		json_t *hop = json_object();

		json_object_set_new(hop, "cpu", json_integer(f->chain[i].cpu));
		json_object_set_new(hop, "wants",
				    lock_json(session_locks(s), f->chain[i].wants, opts));
		json_array_append_new(list, hop);
	}
	return list;
}

static json_t *prog_json(const struct failure *f)
{
	json_t *j;

	if (!f->prog_id && !f->ev.prog[0])
		return json_null();
	j = json_object();
	json_object_set_new(j, "id", id_or_null(f->prog_id, f->prog_id));
	json_object_set_new(j, "name", json_text(f->prog ? f->prog->full_name : f->ev.prog));
	return j;
}

static json_t *at_json(const struct failure *f)
{
	const char *file = NULL, *text = NULL;
	json_t *j;

	if (!f->ev.line)
		return json_null();
	proginfo_line(f->prog, f->file, f->ev.line, &file, &text);
	j = json_object();
	json_object_set_new(j, "line", json_integer(f->ev.line));
	json_object_set_new(j, "file", json_text(file));
	json_object_set_new(j, "text", json_text(text));
	return j;
}

static void set_what(json_t *j, const struct rqspin_event *ev)
{
	json_object_set_new(j, "kind", json_string(kind_name(ev->kind)));
	json_object_set_new(j, "parties", id_or_null(ev->parties, ev->parties));
	json_object_set_new(j, "err", id_or_null((__s64)ev->err, ev->err));
	json_object_set_new(j, "errno",
			    ev->err ? json_text(strerrorname_np(-ev->err)) : json_null());
	json_object_set_new(j, "wait_ns", id_or_null(ev->wait_ns, ev->wait_ns != WAIT_UNKNOWN));
}

static void set_who(json_t *j, const struct failure *f)
{
	json_object_set_new(j, "cpu", json_integer(f->ev.cpu));
	json_object_set_new(j, "pid", id_or_null(f->ev.pid, f->ev.pid || !f->ev.tid));
	json_object_set_new(j, "tid", id_or_null(f->ev.tid, f->ev.tid || !f->ev.pid));
	json_object_set_new(j, "comm", json_text(f->ev.comm));
	json_object_set_new(j, "prog", prog_json(f));
	json_object_set_new(j, "map_id", id_or_null(f->map_id, f->map_id));
}

int json_put_line(json_t *j)
{
	int err = json_dumpf(j, stdout, JSON_COMPACT) || putchar('\n') == EOF || fflush(stdout);

	json_decref(j);
	return err || ferror(stdout) ? -(errno ? errno : EIO) : 0;
}

int json_failure(struct session *s, const struct failure *f, const struct print_opts *opts)
{
	const struct rqspin_event *ev = &f->ev;
	json_t *j = json_object();
	char when[40];

	wall_time(ev->ts_ns, true, when);
	json_object_set_new(j, "schema", json_string(SCHEMA));
	json_object_set_new(j, "type", json_string("failure"));
	json_object_set_new(j, "time", json_string(when));
	json_object_set_new(j, "ts_ns", json_integer(ev->ts_ns));
	set_what(j, ev);
	set_who(j, f);
	json_object_set_new(j, "lock", lock_json(session_locks(s), ev->lock, opts));
	json_object_set_new(j, "held", locks_json(s, ev->held, ev->nr_held, opts));
	json_object_set_new(j, "nr_held", nr_json(ev->nr_held, f->some_held));
	json_object_set_new(j, "owner", owner_json(s, f, opts));
	json_object_set_new(j, "chain", chain_json(s, f, opts));
	json_object_set_new(j, "drained", f->told ? json_boolean(f->drained) : json_null());
	json_object_set_new(j, "at", at_json(f));
	json_object_set_new(j, "source", json_string(f->source->name));
	json_object_set_new(j, "joined", json_text(f->joined ? f->joined->name : NULL));
	json_object_set_new(j, "sampled", json_boolean(f->sampled));
	json_object_set_new(j, "report", opts->stacks ? json_text(f->report) : json_null());
	return json_put_line(j);
}

void json_losses(json_t *j, const struct losses *l)
{
	json_object_set_new(j, "lost", json_integer(l->lost));
	json_object_set_new(j, "lost_unknown", json_boolean(l->unknown));
	json_object_set_new(j, "programs_missed", json_integer(l->missed));
	json_object_set_new(j, "programs_unseen", json_integer(l->unseen));
}

int json_summary(struct session *s, const struct trace_totals *t)
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
	json_object_set_new(j, "kinds", kinds);
	json_losses(j, &t->losses);
	json_object_set_new(j, "sources", json_string(sources));
	return json_put_line(j);
}
