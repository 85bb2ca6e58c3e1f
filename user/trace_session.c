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
#include "trace_cycle.h"
#include "trace_join.h"
#include "trace_wake.h"

#define MAX_SOURCES 8

struct session {
	struct proginfos *progs;
	struct locknames *locks;
	struct heldtab *held;
	struct cycles *cycles;
	struct join *join;
	struct wake *wake;
	const struct source *sources[MAX_SOURCES];
	void *states[MAX_SOURCES];
	int nr;
	bool missed; /* a program came and went unseen */
	failure_fn emit;
	void *ctx;
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

void session_push(struct session *s, const struct failure *reported)
{
	struct failure f = *reported;
	__u32 parties = 0;

	if (f.ev.kind == RQSPIN_TIMEOUT && f.ev.lock && s->cycles)
		parties = cycles_find(s->cycles, f.ev.cpu, f.ev.lock);
	if (parties) {
		f.ev.kind = RQSPIN_CYCLE;
		f.ev.parties = parties;
		f.sampled = true;
	}
	join_push(s->join, &f, may_be_joined(s, &f));
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

static const struct source *source_by_name(const char *name)
{
	for (size_t i = 0; i < nr_trace_sources; i++)
		if (!strcmp(trace_sources[i]->name, name))
			return trace_sources[i];
	pr_err("no source '%s'; there are %s, %s, %s, %s and %s", name, source_ring.name,
	       source_trampoline.name, source_stream.name, source_mapops.name,
	       source_contention.name);
	return NULL;
}

/* -EINVAL: the list is wrong; -EOPNOTSUPP: one of them does not work here. */
static int start_wanted(struct session *s, const char *wanted)
{
	char *list = strdup(wanted), *rest = list, *name;
	int err = list ? 0 : -ENOMEM;

	while (!err && (name = strsep(&rest, ","))) {
		const struct source *src = source_by_name(name);

		if (src && session_has(s, src)) {
			pr_err("source '%s' is named twice", name);
			src = NULL;
		}
		if (!src)
			err = -EINVAL;
		else if (!start_source(s, src, true))
			err = -EOPNOTSUPP;
	}
	free(list);
	return err;
}

static int start_all(struct session *s)
{
	bool reports = false;

	for (size_t i = 0; i < nr_trace_sources; i++) {
		const struct source *src = trace_sources[i];

		if (!(src->reports && reports) && start_source(s, src, false))
			reports |= src->reports;
	}
	if (!s->nr)
		pr_err("no source of failures works here: 'rqspin doctor' says why");
	return s->nr ? 0 : -EOPNOTSUPP;
}

static void hand_out(const struct failure *f, void *ctx)
{
	struct session *s = ctx;

	locknames_at(s->locks, f->ev.ts_ns, f->prog);
	s->emit(f, s->ctx);
	locknames_at(s->locks, 0, NULL);
}

static int open_parts(struct session *s)
{
	char why[256] = "";

	s->progs = proginfos_open();
	s->locks = locknames_open();
	s->join = join_open(hand_out, s);
	s->wake = wake_open();
	if (!s->progs || !s->locks || !s->join || !s->wake)
		return -ENOMEM;
	s->held = heldtab_open(why, sizeof(why));
	if (!s->held)
		pr_debug("held locks of other CPUs stay unknown: %s", why);
	else
		s->cycles = cycles_open(s->held);
	proginfos_scan(s->progs);
	locknames_scan(s->locks);
	return 0;
}

void session_close(struct session *s)
{
	if (!s)
		return;
	for (int i = s->nr - 1; i >= 0; i--)
		s->sources[i]->close(s->states[i]);
	wake_close(s->wake);
	join_close(s->join);
	cycles_close(s->cycles);
	heldtab_close(s->held);
	locknames_close(s->locks);
	proginfos_close(s->progs);
	free(s);
}

/* What libbpf and rqspin load to ask the kernel something, and at once let go. */
static bool is_probe(const char *name)
{
	static const char *const names[] = { "", "a", "libbpf_nametest", "rqspin_probe" };

	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
		if (!strcmp(name, names[i]))
			return true;
	return false;
}

static void scan_progs(struct session *s)
{
	__u32 id;

	proginfos_scan_until(s->progs, wake_newest_prog(s->wake));
	while (proginfos_next_missed(s->progs, &id)) {
		char name[WAKE_NAME] = "?";

		if (id != PROGINFO_MISSED_MANY && wake_prog_name(s->wake, id, name) &&
		    is_probe(name))
			continue;
		pr_debug("program %u %s was gone before it could be looked at", id, name);
		s->missed = true;
	}
}

/* Best source first: what it has seen by now, the others find when they look after it. */
static void collect(struct session *s, bool last)
{
	scan_progs(s);
	locknames_scan(s->locks);
	if (s->cycles)
		cycles_sample(s->cycles);
	for (int i = 0; i < s->nr; i++)
		s->sources[i]->poll(s->states[i], last);
}

struct session *session_open(const char *wanted, failure_fn emit, void *ctx)
{
	struct session *s = calloc(1, sizeof(*s));
	int err;

	if (!s)
		return NULL;
	s->emit = emit;
	s->ctx = ctx;
	err = open_parts(s);
	if (err)
		pr_err("out of memory");
	else if (!wanted || !strcmp(wanted, "auto"))
		err = start_all(s);
	else
		err = start_wanted(s, wanted);
	if (!err) {
		/* What came and went until now, our own probes among it, is not this session's. */
		proginfos_scan_until(s->progs, wake_newest_prog(s->wake));
		proginfos_forget_missed(s->progs);
		collect(s, false);
		return s;
	}
	session_close(s);
	errno = -err;
	return NULL;
}

int session_poll(struct session *s, int ms)
{
	int err = wake_wait(s->wake, ms);

	if (err)
		return err;
	collect(s, false);
	join_flush(s->join, false);
	return 0;
}

void session_drain(struct session *s)
{
	collect(s, true);
	join_flush(s->join, true);
}

__u64 session_lost(struct session *s, bool *unknown)
{
	__u64 lost = join_lost(s->join), alone = join_alone(s->join);

	scan_progs(s);
	/* These two need the program's memory: the others see its failures as they happen. */
	*unknown = s->missed && (session_has(s, &source_ring) || session_has(s, &source_stream));
	for (int i = 0; i < s->nr; i++) {
		__u64 n = s->sources[i]->lost(s->states[i], unknown);

		/* A lost report of a failure that its program reported as well is no lost failure.
		 */
		if (s->sources[i] == &source_trampoline)
			n -= n < alone ? n : alone;
		lost += n;
	}
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
