// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "heldtab.h"
#include "lockname.h"
#include "log.h"
#include "proginfo.h"
#include "trace.h"
#include "trace_join.h"
#include "trace_wake.h"

#define MAX_SOURCES 8

struct session {
	struct proginfos *progs;
	struct locknames *locks;
	struct heldtab *held;
	struct join *join;
	struct wake *wake;
	const struct source *sources[MAX_SOURCES];
	void *states[MAX_SOURCES];
	int nr;
};

const char *kind_name(__u32 kind)
{
	static const char *const names[] = {
		[RQSPIN_UNKNOWN] = "UNKNOWN", [RQSPIN_AA] = "AA",
		[RQSPIN_ABBA] = "ABBA",	      [RQSPIN_CYCLE] = "CYCLE",
		[RQSPIN_TIMEOUT] = "TIMEOUT", [RQSPIN_NESTED] = "NESTED",
	};

	return kind < sizeof(names) / sizeof(names[0]) ? names[kind] : "UNKNOWN";
}

struct proginfos *session_progs(struct session *s)
{
	return s->progs;
}

struct locknames *session_locks(struct session *s)
{
	return s->locks;
}

struct heldtab *session_held(struct session *s)
{
	return s->held;
}

static void *state_of(const struct session *s, const struct source *src)
{
	for (int i = 0; i < s->nr; i++)
		if (s->sources[i] == src)
			return s->states[i];
	return NULL;
}

bool session_has(const struct session *s, const struct source *src)
{
	return state_of(s, src) != NULL;
}

/* May a source of higher rank still report this failure? */
static bool may_be_joined(const struct session *s, const struct failure *f)
{
	void *ring = state_of(s, &source_ring);

	if (f->source->rank == RANK_PARTIAL)
		return s->nr > 1;
	return f->source != &source_ring && ring && f->prog && source_ring_covers(ring, f->prog);
}

void session_push(struct session *s, const struct failure *f)
{
	join_push(s->join, f, may_be_joined(s, f));
}

static bool start_source(struct session *s, const struct source *src, bool must)
{
	char why[256] = "";
	void *state;

	if (!src->usable(why, sizeof(why))) {
		if (must)
			pr_err("source '%s' does not work here: %s", src->name, why);
		else
			pr_debug("source '%s' not used: %s", src->name, why);
		return false;
	}
	state = src->open(s);
	if (!state) {
		pr_err("source '%s' cannot be started: %s", src->name, strerror(errno));
		return false;
	}
	s->sources[s->nr] = src;
	s->states[s->nr++] = state;
	return true;
}

static bool start_wanted(struct session *s, const char *wanted)
{
	char *list = strdup(wanted), *rest = list, *name;
	bool ok = list != NULL;

	while (ok && (name = strsep(&rest, ","))) {
		size_t i;

		for (i = 0; i < nr_trace_sources; i++)
			if (!strcmp(trace_sources[i]->name, name))
				break;
		errno = i == nr_trace_sources ? EINVAL : EOPNOTSUPP;
		if (i == nr_trace_sources)
			pr_err("no source '%s'; 'rqspin help trace' lists them", name);
		ok = i < nr_trace_sources && !session_has(s, trace_sources[i]) &&
		     start_source(s, trace_sources[i], true);
	}
	free(list);
	return ok;
}

static void start_all(struct session *s)
{
	bool reports = false;

	for (size_t i = 0; i < nr_trace_sources; i++) {
		const struct source *src = trace_sources[i];

		if (!(src->reports && reports) && start_source(s, src, false))
			reports |= src->reports;
	}
}

static int open_parts(struct session *s, failure_fn emit, void *ctx)
{
	char why[256] = "";

	s->progs = proginfos_open();
	s->locks = locknames_open();
	s->join = join_open(emit, ctx);
	s->wake = wake_open();
	if (!s->progs || !s->locks || !s->join || !s->wake)
		return -ENOMEM;
	s->held = heldtab_open(why, sizeof(why));
	if (!s->held)
		pr_debug("held locks of other CPUs stay unknown: %s", why);
	proginfos_scan(s->progs);
	locknames_scan(s->locks);
	return 0;
}

struct session *session_open(const char *wanted, failure_fn emit, void *ctx)
{
	struct session *s = calloc(1, sizeof(*s));
	int err;

	if (!s)
		return NULL;
	if (open_parts(s, emit, ctx)) {
		pr_err("out of memory");
		session_close(s);
		return NULL;
	}
	if (!wanted || !strcmp(wanted, "auto"))
		start_all(s);
	else if (!start_wanted(s, wanted))
		s->nr = 0;
	if (s->nr)
		return s;
	err = errno == EINVAL ? EINVAL : EOPNOTSUPP;
	session_close(s);
	errno = err;
	return NULL;
}

void session_close(struct session *s)
{
	if (!s)
		return;
	for (int i = s->nr - 1; i >= 0; i--)
		s->sources[i]->close(s->states[i]);
	wake_close(s->wake);
	join_close(s->join);
	heldtab_close(s->held);
	locknames_close(s->locks);
	proginfos_close(s->progs);
	free(s);
}

/* Best source first: what it has seen by now, the others find when they look after it. */
static void collect(struct session *s)
{
	proginfos_scan(s->progs);
	locknames_scan(s->locks);
	for (int i = 0; i < s->nr; i++)
		s->sources[i]->poll(s->states[i]);
}

int session_poll(struct session *s, int ms)
{
	int err = wake_wait(s->wake, ms);

	if (err)
		return err;
	collect(s);
	join_flush(s->join, false);
	return 0;
}

void session_drain(struct session *s)
{
	collect(s);
	join_flush(s->join, true);
}

__u64 session_lost(struct session *s, bool *unknown)
{
	__u64 lost = join_lost(s->join);

	*unknown = false;
	for (int i = 0; i < s->nr; i++)
		lost += s->sources[i]->lost(s->states[i], unknown);
	return lost;
}

void session_sources(const struct session *s, char *buf, size_t size)
{
	size_t used = 0;

	*buf = 0;
	for (int i = 0; i < s->nr && used < size; i++)
		used += snprintf(buf + used, size - used, "%s%s", i ? ", " : "",
				 s->sources[i]->name);
}
