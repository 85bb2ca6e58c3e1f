// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <bpf/bpf.h>

#include "heldtab.h"
#include "lockname.h"
#include "log.h"
#include "proginfo.h"
#include "trace.h"
#include "trace_cycle.h"
#include "trace_filter.h"
#include "trace_join.h"
#include "trace_wake.h"

#define MAX_SOURCES 8
#define NAMED_MAX   20 /* programs that are not seen: said of so many */

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
	const struct trace_filter *filter;
	__u32 nr_missed; /* programs that came and went */
	__u32 nr_unseen; /* programs that take locks without reporting */
	__u32 checked;	 /* of programs up to this id it is known whether they are seen */
	bool blind;	 /* programs and maps cannot be listed */
	bool announced;	 /* the caller had its chance to say what it does */
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

/* The lock has told everything but what a program's report, or a map operation's, would add. */
static bool may_be_completed(const struct session *s, const struct failure *f)
{
	void *ring = state_of(s, &source_ring);

	/* User space operates on maps as well. */
	if (!f->prog_lock && session_has(s, &source_mapops))
		return true;
	if (f->no_prog)
		return false;
	if (session_has(s, &source_trampoline) || session_has(s, &source_stream))
		return true;
	/* A program that was loaded just now: its ring may not have been found yet. */
	return ring &&
	       (!f->prog || source_ring_covers(ring, f->prog) || proginfo_has_ring(f->prog));
}

/* May a source of higher rank still report this failure? */
static bool may_be_joined(const struct session *s, const struct failure *f)
{
	void *ring = state_of(s, &source_ring);

	if (f->source->rank == RANK_PARTIAL)
		return s->nr > 1;
	if (f->source == &source_tracepoint)
		return may_be_completed(s, f);
	return f->source != &source_ring && ring && f->prog && source_ring_covers(ring, f->prog);
}

void session_push(struct session *s, const struct failure *reported)
{
	struct failure f = *reported;
	__u32 parties = 0;

	if (f.ev.kind == RQSPIN_TIMEOUT && f.ev.lock && !f.told && s->cycles)
		parties = cycles_find(s->cycles, f.ev.cpu, f.ev.lock);
	if (parties) {
		f.ev.kind = RQSPIN_CYCLE;
		f.ev.parties = parties;
		f.sampled = true;
	}
	join_push(s->join, &f, may_be_joined(s, &f));
}

/*
 * Polled by rank: what a source of higher rank has seen, those of lower rank find when they look
 * after it.
 */
static void add_source(struct session *s, const struct source *src, void *state)
{
	int at = s->nr++;

	for (; at && s->sources[at - 1]->rank < src->rank; at--) {
		s->sources[at] = s->sources[at - 1];
		s->states[at] = s->states[at - 1];
	}
	s->sources[at] = src;
	s->states[at] = state;
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
	add_source(s, src, state);
	return true;
}

static const struct source *source_by_name(const char *name)
{
	for (size_t i = 0; i < nr_trace_sources; i++)
		if (!strcmp(trace_sources[i]->name, name))
			return trace_sources[i];
	pr_err("no source '%s'; there are %s, %s, %s, %s, %s and %s", name, source_tracepoint.name,
	       source_ring.name, source_trampoline.name, source_stream.name, source_mapops.name,
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
	bool reports = false, whole = false;

	for (size_t i = 0; i < nr_trace_sources; i++) {
		const struct source *src = trace_sources[i];

		if ((src->reports && reports) || (whole && src != &source_ring) ||
		    !start_source(s, src, false))
			continue;
		reports |= src->reports;
		whole |= src->whole;
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

/* Nothing is known of the program but its id and perhaps its name. */
static bool counts_as_missed(struct session *s, __u32 id, char name[WAKE_NAME])
{
	const char *want = s->filter->prog;
	char full[WAKE_NAME] = "";

	if (id == PROGINFO_MISSED_MANY)
		return true;
	if (!wake_prog_name(s->wake, id, name))
		return !want || trace_filter_prog(s->filter, id, want, NULL);
	if (want)
		memccpy(full, want, 0, sizeof(full) - 1);
	return !is_probe(name) &&
	       trace_filter_prog(s->filter, id, name, strcmp(full, name) ? NULL : want);
}

static void scan_progs(struct session *s)
{
	__u32 id;

	proginfos_scan_until(s->progs, wake_newest_prog(s->wake));
	while (proginfos_next_missed(s->progs, &id)) {
		char name[WAKE_NAME] = "?";

		if (!counts_as_missed(s, id, name))
			continue;
		pr_debug("program %u %s was gone before it could be looked at", id, name);
		s->nr_missed++;
	}
}

/* Ids are for CAP_SYS_ADMIN only. */
static bool may_list(void)
{
	__u32 id = 0;

	return !bpf_prog_get_next_id(id, &id) || errno != EPERM;
}

/* Sources that attach to the lock itself need no list. */
static void note_blindness(struct session *s)
{
	if (may_list())
		return;
	s->blind = !session_has(s, &source_tracepoint) && !session_has(s, &source_trampoline);
	pr_warn("programs and maps cannot be listed without CAP_SYS_ADMIN: %s",
		s->blind ? "the failures of programs are NOT seen" : "they have no names here");
}

bool session_needs_reports(const struct session *s)
{
	return !session_has(s, &source_tracepoint) && !session_has(s, &source_trampoline) &&
	       !session_has(s, &source_stream);
}

bool session_blind(const struct session *s)
{
	return s->blind;
}

static void note_unseen(struct session *s, const struct proginfo *p)
{
	if (s->nr_unseen++ < NAMED_MAX)
		pr_warn("program %u %s takes locks, but does not include res_events.bpf.h: its "
			"failures are NOT seen here",
			p->id, p->full_name);
	else if (s->nr_unseen == NAMED_MAX + 1)
		pr_warn("and more such programs");
}

/* Programs up to the id last: their maps are older, so the ring source has seen those by now. */
static void find_unseen(struct session *s, __u32 last)
{
	void *ring = state_of(s, &source_ring);

	for (const struct proginfo *p = proginfos_first(s->progs); p && p->id > s->checked;
	     p = p->next)
		if (p->id <= last && p->locks && !(ring && source_ring_covers(ring, p)) &&
		    trace_filter_prog(s->filter, p->id, p->name, p->full_name))
			note_unseen(s, p);
	s->checked = last;
}

static void collect(struct session *s, bool last)
{
	const struct proginfo *newest;
	__u32 newest_id;

	scan_progs(s);
	locknames_scan(s->locks);
	if (s->cycles)
		cycles_sample(s->cycles);
	newest = proginfos_first(s->progs);
	newest_id = newest ? newest->id : 0;
	for (int i = 0; i < s->nr; i++)
		s->sources[i]->poll(s->states[i], last);
	if (s->announced && session_needs_reports(s))
		find_unseen(s, newest_id);
}

struct session *session_open(const char *wanted, const struct trace_filter *filter, failure_fn emit,
			     void *ctx)
{
	struct session *s = calloc(1, sizeof(*s));
	int err;

	if (!s)
		return NULL;
	s->filter = filter;
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
		note_blindness(s);
		/* What came and went until now, our own probes among it, is not this session's. */
		proginfos_scan_until(s->progs, wake_newest_prog(s->wake));
		proginfos_forget_missed(s->progs);
		collect(s, false);
		s->announced = true;
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

void session_losses(struct session *s, struct losses *l)
{
	__u64 alone = join_alone(s->join);

	scan_progs(s);
	*l = (struct losses){ .lost = join_lost(s->join), .unseen = s->nr_unseen };
	/* These two need the program's memory: the others see its failures as they happen. */
	if (session_has(s, &source_ring) || session_has(s, &source_stream))
		l->missed = s->nr_missed;
	l->unknown = l->missed || l->unseen || s->blind;
	for (int i = 0; i < s->nr; i++) {
		__u64 n;

		/* The lock itself told of the failure whose report was lost. */
		if (s->sources[i]->reports && session_has(s, &source_tracepoint))
			continue;
		n = s->sources[i]->lost(s->states[i], &l->unknown);
		/* A lost report of a failure that its program reported as well is no lost failure.
		 */
		if (s->sources[i] == &source_trampoline || s->sources[i] == &source_tracepoint ||
		    s->sources[i] == &source_stream)
			n -= n < alone ? n : alone;
		l->lost += n;
	}
}

void losses_text(const struct losses *l, char buf[LOSSES_TEXT])
{
	char missed[64] = "", unseen[64] = "";

	if (l->missed)
		snprintf(missed, sizeof(missed), "%u program%s came and went unseen", l->missed,
			 l->missed == 1 ? "" : "s");
	if (l->unseen)
		snprintf(unseen, sizeof(unseen), "%u program%s without reports of failures",
			 l->unseen, l->unseen == 1 ? "" : "s");
	if (!l->unknown)
		snprintf(buf, LOSSES_TEXT, "%llu", l->lost);
	else if (l->lost)
		snprintf(buf, LOSSES_TEXT, "at least %llu", l->lost);
	else
		snprintf(buf, LOSSES_TEXT, "unknown");
	if (l->unknown)
		snprintf(buf + strlen(buf), LOSSES_TEXT - strlen(buf), " (%s%s%s)", missed,
			 *missed && *unseen ? ", " : "",
			 *missed || *unseen ? unseen : "a source may have missed some");
}

void session_sources(const struct session *s, char *buf, size_t size)
{
	size_t used = 0;

	*buf = 0;
	for (int i = 0; i < s->nr && used < size; i++)
		used += snprintf(buf + used, size - used, "%s%s", i ? ", " : "",
				 s->sources[i]->name);
}
