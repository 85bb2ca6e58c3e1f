// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <bpf/bpf.h>
#include <bpf/btf.h>

#include "kernel/heldtab.h"
#include "kernel/kernelbtf.h"
#include "kernel/maplocks.h"
#include "names/lockname.h"
#include "base/log.h"
#include "names/proginfo.h"
#include "events/session.h"
#include "events/cycle.h"
#include "events/join.h"
#include "events/lineup.h"
#include "events/lost.h"
#include "events/unseen.h"
#include "events/wake.h"

struct session {
	struct proginfos *progs;
	struct locknames *locks;
	struct heldtab *held;
	struct cycles *cycles;
	struct join *join;
	struct wake *wake;
	struct lineup lineup;
	struct unseen unseen;
	const struct session_tuning *tuning;
	bool blind;	/* programs and maps cannot be listed */
	bool announced; /* the caller's own message comes before warnings */
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

/* The record is complete. Could a program's or a map operation's report still add to it? */
static bool may_be_completed(const struct session *s, const struct failure *f)
{
	/* User space operates on maps as well. */
	if (!f->prog_lock && lineup_has(&s->lineup, SOURCE_OPERATIONS))
		return true;
	if (f->no_prog)
		return false;
	return lineup_has(&s->lineup, SOURCE_REPORTS) ||
	       lineup_covers(&s->lineup, f->prog) != COVER_NO;
}

/* May a source of higher rank still report this failure? */
static bool may_be_joined(const struct session *s, const struct failure *f)
{
	if (f->source->rank == RANK_PARTIAL)
		return s->lineup.nr > 1;
	if (source_is(f->source, SOURCE_WHOLE))
		return may_be_completed(s, f);
	return !source_is(f->source, SOURCE_SELF_REPORTS) &&
	       lineup_covers(&s->lineup, f->prog) == COVER_YES;
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
	join_push(s->join, &f, !f.waited && may_be_joined(s, &f));
}

/*
 * Is it a failure that doctor provokes to measure it? Its program may have been gone before it
 * could be read.
 */
static bool is_own(struct session *s, const struct failure *f)
{
	struct lockname name;

	if (f->prog && (f->prog->own || !f->prog->unread))
		return f->prog->own;
	return f->ev.lock && locknames_map(s->locks, f->ev.lock, f->ev.ts_ns, NULL, &name) &&
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
	wake_witness(s->wake, s->progs);
	if (s->tuning->pinned && locknames_recall_only(s->locks, s->tuning->newest_map))
		return -ENOMEM;
	/* The locks that are held now show nothing about failures of long ago. */
	s->held = s->tuning->pinned ? NULL : heldtab_open(why, sizeof(why));
	if (s->tuning->pinned)
		s->cycles = NULL;
	else if (!s->held)
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
	lineup_stop(&s->lineup);
	join_close(s->join);
	cycles_close(s->cycles);
	heldtab_close(s->held);
	locknames_close(s->locks);
	proginfos_close(s->progs);
	wake_close(s->wake);
	free(s);
}

/* Only CAP_SYS_ADMIN may list ids. */
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
	s->blind = !lineup_has(&s->lineup, SOURCE_AT_LOCK);
	pr_warn("programs and maps cannot be listed without CAP_SYS_ADMIN: %s",
		s->blind ? "the failures of programs are NOT seen" :
			   "they are shown without names");
}

bool session_needs_reports(const struct session *s)
{
	return !lineup_has(&s->lineup, SOURCE_AT_LOCK | SOURCE_REPORTS);
}

bool session_blind(const struct session *s)
{
	return s->blind;
}

unsigned int session_blind_locks(const struct session *s)
{
	return s->unseen.blind;
}

/* If the lock itself reports failures, all locks are seen, and BTF is not needed. */
static void note_blind_locks(struct session *s)
{
	unsigned int seen = lineup_sees(&s->lineup);
	struct maplocks locks;

	maplocks_read(~seen ? kernelbtf_get() : NULL, &locks);
	s->unseen.blind = maplocks_resilient(&locks) & ~seen;
}

static void session_collect(struct session *s, bool last)
{
	const struct proginfo *newest;
	__u32 newest_id;

	unseen_scan(&s->unseen, s->progs, s->wake);
	locknames_scan(s->locks);
	if (s->cycles)
		cycles_sample(s->cycles);
	newest = proginfos_first(s->progs);
	newest_id = newest ? newest->id : 0;
	lineup_poll(&s->lineup, last);
	unseen_maps(&s->unseen, s->progs);
	if (s->announced && session_needs_reports(s))
		unseen_find(&s->unseen, s->progs, &s->lineup, newest_id);
}

struct session *session_open(const struct source *const *table, const char *wanted,
			     const struct trace_filter *filter, const struct session_tuning *tuning,
			     failure_fn emit, void *ctx)
{
	struct session *s = calloc(1, sizeof(*s));
	int err;

	if (!s)
		return NULL;
	s->unseen.filter = filter;
	s->tuning = tuning;
	s->emit = emit;
	s->ctx = ctx;
	s->lineup.pinned = tuning->pinned;
	err = open_parts(s);
	if (err)
		pr_err("out of memory");
	else
		err = lineup_start(&s->lineup, s, table, wanted);
	if (!err && tuning->waits)
		err = lineup_add(&s->lineup, s, tuning->waits);
	if (!err) {
		note_blindness(s);
		note_blind_locks(s);
		/*
		 * Programs that came and went until now, our own probes among them, do not count in
		 * this session.
		 */
		proginfos_scan(s->progs);
		proginfos_forget_missed(s->progs);
		/* A recorder shows nothing: a later session reads the records. */
		if (!tuning->pin)
			session_collect(s, false);
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
	session_collect(s, false);
	join_flush(s->join, false);
	return 0;
}

void session_drain(struct session *s)
{
	session_collect(s, true);
	join_flush(s->join, true);
}

void session_losses(struct session *s, struct losses *l)
{
	unseen_scan(&s->unseen, s->progs, s->wake);
	unseen_maps(&s->unseen, s->progs);
	*l = (struct losses){ .unseen = s->unseen.nr_silent };
	/* Nobody knows which maps were in use while a recorder ran. */
	l->blind = s->tuning->pinned ? s->unseen.blind : s->unseen.used;
	/* Sources of other kinds see a program's failures as they happen. */
	if (lineup_has(&s->lineup, SOURCE_PROG_MEMORY))
		l->missed = s->unseen.nr_missed;
	l->later = s->tuning->pinned && session_needs_reports(s);
	l->unknown = l->missed || l->unseen || l->later || s->blind;
	l->lost = lost_count(&s->lineup, s->join, &l->unknown);
}

__u64 session_lost_waits(const struct session *s, bool *unknown)
{
	return lost_waits(&s->lineup, unknown);
}

void session_lost_each(struct session *s, loss_fn fn, void *ctx)
{
	lost_each(&s->lineup, s->join, fn, ctx);
}

void session_sources(const struct session *s, char *buf, size_t size)
{
	lineup_names(&s->lineup, buf, size);
}
