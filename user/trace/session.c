// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <bpf/bpf.h>

#include "kernel/heldtab.h"
#include "names/lockname.h"
#include "names/own.h"
#include "base/log.h"
#include "names/proginfo.h"
#include "trace/source.h"
#include "trace/session.h"
#include "trace/counted.h"
#include "trace/cycle.h"
#include "trace/filter.h"
#include "trace/join.h"
#include "trace/wake.h"

#define MAX_SOURCES (RANK_MAX + 1) /* each has its own */
#define NAMED_MAX   20		   /* programs that are not seen: said of so many */

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
	unsigned int traits; /* of any of them */
	const struct trace_filter *filter;
	const struct session_tuning *tuning;
	struct counted missed, unseen;
	__u32 nr_missed; /* programs that came and went */
	__u32 nr_unseen; /* programs that take locks without reporting */
	__u32 checked;	 /* of programs up to this id it is known whether they are seen */
	bool blind;	 /* programs and maps cannot be listed */
	bool announced;	 /* the caller had its chance to say what it does */
	failure_fn emit;
	void *ctx;
};

const struct session_tuning *session_tuning(const struct session *s)
{
	return s->tuning;
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

/* Is there a source with one of the traits? */
static bool has(const struct session *s, unsigned int traits)
{
	return s->traits & traits;
}

/* The best that sources do which see only what takes part in them. NULL: a program unknown yet. */
static enum source_cover covered(const struct session *s, const struct proginfo *prog)
{
	enum source_cover best = COVER_NO;

	for (int i = 0; i < s->nr; i++) {
		enum source_cover here = COVER_NO;

		if (s->sources[i]->covers)
			here = prog ? s->sources[i]->covers(s->states[i], prog) : COVER_SOON;
		if (here > best)
			best = here;
	}
	return best;
}

/* The lock has told everything but what a program's report, or a map operation's, would add. */
static bool may_be_completed(const struct session *s, const struct failure *f)
{
	/* User space operates on maps as well. */
	if (!f->prog_lock && has(s, SOURCE_OPERATIONS))
		return true;
	if (f->no_prog)
		return false;
	return has(s, SOURCE_REPORTS) || covered(s, f->prog) != COVER_NO;
}

/* May a source of higher rank still report this failure? */
static bool may_be_joined(const struct session *s, const struct failure *f)
{
	if (f->source->rank == RANK_PARTIAL)
		return s->nr > 1;
	if (source_is(f->source, SOURCE_WHOLE))
		return may_be_completed(s, f);
	return !source_is(f->source, SOURCE_SELF_REPORTS) && covered(s, f->prog) == COVER_YES;
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
	s->traits |= src->traits;
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

static void no_source(const struct source *const *table, const char *name)
{
	char names[256];
	size_t used = 0;

	for (size_t i = 0; table[i] && used < sizeof(names); i++)
		used += snprintf(names + used, sizeof(names) - used, "%s%s",
				 !i	      ? "" :
				 table[i + 1] ? ", " :
						" and ",
				 table[i]->name);
	pr_err("no source '%s'; there are %s", name, names);
}

static const struct source *source_by_name(const struct source *const *table, const char *name)
{
	for (size_t i = 0; table[i]; i++)
		if (!strcmp(table[i]->name, name))
			return table[i];
	no_source(table, name);
	return NULL;
}

static bool started(const struct session *s, const struct source *src)
{
	for (int i = 0; i < s->nr; i++)
		if (s->sources[i] == src)
			return true;
	return false;
}

/* -EINVAL: the list is wrong; -EOPNOTSUPP: one of them does not work here. */
static int start_wanted(struct session *s, const struct source *const *table, const char *wanted)
{
	char *list = strdup(wanted), *rest = list, *name;
	int err = list ? 0 : -ENOMEM;

	while (!err && (name = strsep(&rest, ","))) {
		const struct source *src = source_by_name(table, name);

		if (src && started(s, src)) {
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

static int start_all(struct session *s, const struct source *const *table)
{
	for (size_t i = 0; table[i]; i++) {
		if (has(s, SOURCE_REPORTS) && source_is(table[i], SOURCE_REPORTS))
			continue;
		if (has(s, SOURCE_WHOLE) && !source_is(table[i], SOURCE_SELF_REPORTS))
			continue;
		start_source(s, table[i], false);
	}
	if (!s->nr)
		pr_err("no source of failures works here: 'rqspin doctor' says why");
	return s->nr ? 0 : -EOPNOTSUPP;
}

/* What doctor provokes to measure it. Its program may have been gone before it could be read. */
static bool is_own(struct session *s, const struct failure *f)
{
	struct lockname name;

	if (f->prog)
		return f->prog->own;
	return f->ev.lock && locknames_find(s->locks, f->ev.lock, f->ev.ts_ns, NULL, &name) &&
	       name.own;
}

static void hand_out(const struct failure *f, void *ctx)
{
	struct session *s = ctx;

	if (!is_own(s, f))
		s->emit(f, s->ctx);
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
	static const char *const names[] = { "", "a", "libbpf_nametest" };

	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
		if (!strcmp(name, names[i]))
			return true;
	return own_name(name);
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

		if (!counts_as_missed(s, id, name) || counted_has(&s->unseen, name) ||
		    !counted_first(&s->missed, strcmp(name, "?") ? name : ""))
			continue;
		pr_debug("program %u %s was gone before it could be examined", id, name);
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
	s->blind = !has(s, SOURCE_AT_LOCK);
	pr_warn("programs and maps cannot be listed without CAP_SYS_ADMIN: %s",
		s->blind ? "the failures of programs are NOT seen" :
			   "they are shown without names");
}

bool session_needs_reports(const struct session *s)
{
	return !has(s, SOURCE_AT_LOCK | SOURCE_REPORTS);
}

bool session_blind(const struct session *s)
{
	return s->blind;
}

static void note_unseen(struct session *s, const struct proginfo *p)
{
	if (!counted_first(&s->unseen, p->full_name))
		return;
	/* It came and went before, and now stays. */
	if (!counted_first(&s->missed, p->full_name))
		s->nr_missed--;
	if (s->nr_unseen++ < NAMED_MAX)
		pr_warn("program %u %s takes locks, but does not include res_events.bpf.h: its "
			"failures are NOT seen here",
			p->id, p->full_name);
	else if (s->nr_unseen == NAMED_MAX + 1)
		pr_warn("and more such programs");
}

/* Programs up to the id last: their maps are older, so sources that go by maps have seen those. */
static void find_unseen(struct session *s, __u32 last)
{
	for (const struct proginfo *p = proginfos_first(s->progs); p && p->id > s->checked;
	     p = p->next)
		if (p->id <= last && p->locks && covered(s, p) != COVER_YES &&
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

struct session *session_open(const struct source *const *table, const char *wanted,
			     const struct trace_filter *filter, const struct session_tuning *tuning,
			     failure_fn emit, void *ctx)
{
	struct session *s = calloc(1, sizeof(*s));
	int err;

	if (!s)
		return NULL;
	s->filter = filter;
	s->tuning = tuning;
	s->emit = emit;
	s->ctx = ctx;
	err = open_parts(s);
	if (err)
		pr_err("out of memory");
	else if (!wanted || !strcmp(wanted, "auto"))
		err = start_all(s, table);
	else
		err = start_wanted(s, table, wanted);
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

/* Is there a source that sees, or counts, every failure of programs in the kernel's lock? */
static bool counts_all(const struct session *s)
{
	for (int i = 0; i < s->nr; i++)
		if (source_is(s->sources[i], SOURCE_AT_LOCK) &&
		    source_is(s->sources[i], SOURCE_WHOLE | SOURCE_REPORTS))
			return true;
	return false;
}

/* The failure whose report was lost has been seen, or is counted by another source. */
static bool counted_elsewhere(const struct session *s, const struct source *src)
{
	return (source_is(src, SOURCE_REPORTS) && has(s, SOURCE_WHOLE)) ||
	       (source_is(src, SOURCE_SELF_REPORTS) && counts_all(s));
}

/* A lost report of a failure that its program reported as well is no lost failure. */
static __u64 lost_by(const struct session *s, int i, bool *unknown)
{
	const struct source *src = s->sources[i];
	__u64 n, alone;

	if (counted_elsewhere(s, src))
		return 0;
	n = src->lost(s->states[i], unknown);
	alone = source_is(src, SOURCE_REPORTS | SOURCE_WHOLE) ? join_alone(s->join) : 0;
	return n - (n < alone ? n : alone);
}

void session_losses(struct session *s, struct losses *l)
{
	scan_progs(s);
	*l = (struct losses){ .lost = join_lost(s->join), .unseen = s->nr_unseen };
	/* Sources of other kinds see a program's failures as they happen. */
	if (has(s, SOURCE_PROG_MEMORY))
		l->missed = s->nr_missed;
	l->unknown = l->missed || l->unseen || s->blind;
	for (int i = 0; i < s->nr; i++)
		l->lost += lost_by(s, i, &l->unknown);
}

/**
 * struct losing - one source's losses, while they are handed out
 * @s: session
 * @src: source
 * @left: so many have not been handed out
 * @fn: gets them
 * @ctx: its argument
 */
struct losing {
	const struct session *s;
	const struct source *src;
	__u64 left;
	loss_fn fn;
	void *ctx;
};

static void on_loss(const struct failure *like, __u64 nr, void *ctx)
{
	struct losing *l = ctx;
	__u64 alone = 0;

	if (source_is(l->src, SOURCE_REPORTS | SOURCE_WHOLE))
		alone = join_alone_of(l->s->join, like->prog_id, like->ev.lock);
	nr -= nr < alone ? nr : alone;
	nr = nr < l->left ? nr : l->left;
	l->left -= nr;
	if (nr)
		l->fn(like, nr, l->ctx);
}

void session_lost_each(struct session *s, loss_fn fn, void *ctx)
{
	__u64 others = join_lost(s->join);

	for (int i = 0; i < s->nr; i++) {
		struct losing l = { s, s->sources[i], 0, fn, ctx };
		bool unknown = false;

		l.left = lost_by(s, i, &unknown);
		if (l.left && l.src->losses)
			l.src->losses(s->states[i], on_loss, &l);
		others += l.left;
	}
	if (others)
		fn(NULL, others, ctx);
}

void session_sources(const struct session *s, char *buf, size_t size)
{
	size_t used = 0;

	*buf = 0;
	for (int i = 0; i < s->nr && used < size; i++)
		used += snprintf(buf + used, size - used, "%s%s", i ? ", " : "",
				 s->sources[i]->name);
}
