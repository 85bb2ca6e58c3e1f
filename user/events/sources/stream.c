// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>
#include <bpf/bpf.h>

#include "base/clock.h"
#include "base/fds.h"
#include "base/log.h"
#include "base/task.h"
#include "kernel/probe.h"
#include "kernel/progstream.h"
#include "names/proginfo.h"
#include "events/sources/readers.h"
#include "events/sources/report_parse.h"
#include "events/sources/stream.h"
#include "events/sources/thefts.h"
#include "events/session.h"

#define CAPACITY    100000 /* bytes; the kernel drops text that does not fit */
#define REPORT_MAX  16384  /* more than any report is long */
#define NEARLY_FULL (CAPACITY - REPORT_MAX)
#define POLL_NS	    20000000ULL /* between rounds through all programs */
/*
 * Programs that can fail a lock are held until their streams are read. They are released at this
 * interval, so that they can be unloaded.
 */
#define HOLD_NS	    5000000000ULL
#define SPARE_FDS   32		 /* for files that are open only for a moment */
#define COMPLETE_NS 100000000ULL /* a report is written in one go: its rest comes by then */

struct stream {
	__u32 prog_id;
	int fd; /* -1: not held */
	bool may_lock;
	__u64 last_ns;
	__u64 dropped; /* the kernel's count at the last look */
	char *text;    /* of a report that is not complete yet */
	size_t len;
	struct stream *next;
};

struct stream_source {
	struct session *session;
	struct stream *streams;
	__u32 last_id;
	__u64 next_round; /* when all programs are read, and other readers looked for */
	__u64 foreign;	  /* lines that programs wrote themselves */
	__u64 unread;	  /* reports that could not be understood, or had no beginning */
	__u64 dropped;	  /* records for which the kernel had no room */
	bool counted;	  /* the kernel counts dropped records */
	unsigned long held;
	bool too_many;	       /* too many programs to hold all */
	int joined;	       /* descriptor of readers_join() */
	struct thefts *thefts; /* reads of other processes, NULL if they cannot be seen */
	bool shared;	       /* there is or was another reader */
	bool incomplete;       /* something was or may have been lost */
};

static bool stream_usable(char *why, size_t size)
{
	bool ok = probe_works(PROBE_STREAM);

	if (!ok)
		snprintf(why, size, "%s", probe_why(PROBE_STREAM));
	return ok;
}

/* The kernel's number of drops in the program's stream; false if it does not count them. */
static bool read_dropped(int fd, __u64 *dropped)
{
	char path[64], line[128];
	bool found = false;
	FILE *f;

	snprintf(path, sizeof(path), "/proc/self/fdinfo/%d", fd);
	f = fopen(path, "re");
	while (f && !found && fgets(line, sizeof(line), f))
		found = report_parse_dropped(line, dropped);
	if (f)
		fclose(f);
	return found;
}

static void count_dropped(struct stream_source *ss, struct stream *st, int fd)
{
	__u64 before = st->dropped;

	if (!read_dropped(fd, &st->dropped))
		return;
	ss->counted = true;
	ss->dropped += st->dropped - before;
}

static void stream_keep(struct stream_source *ss, struct stream *st, int fd)
{
	if (st->may_lock && ss->held + SPARE_FDS < fds_limit()) {
		st->fd = fd;
		ss->held++;
		return;
	}
	close(fd);
	if (!st->may_lock)
		return;
	ss->incomplete = true;
	if (!ss->too_many)
		pr_warn("more programs take locks than the limit of open files allows (%lu): their last "
			"reports may be lost when they are unloaded; raise the limit (ulimit -n)",
			fds_limit());
	ss->too_many = true;
}

static void let_be(struct stream_source *ss, struct stream *st)
{
	if (st->fd < 0)
		return;
	close(st->fd);
	st->fd = -1;
	ss->held--;
}

static void add_stream(struct stream_source *ss, const struct proginfo *p)
{
	struct stream *st = calloc(1, sizeof(*st));
	int fd;

	if (!st) {
		ss->incomplete = true;
		return;
	}
	st->prog_id = p->id;
	/* Failures in our own programs are not shown. */
	st->may_lock = !p->own && proginfo_may_lock(p);
	st->fd = -1;
	st->last_ns = now_ns();
	st->next = ss->streams;
	ss->streams = st;
	fd = st->may_lock ? bpf_prog_get_fd_by_id(p->id) : -1;
	if (fd >= 0)
		stream_keep(ss, st, fd);
}

static void find_streams(struct stream_source *ss)
{
	const struct proginfo *p = proginfos_first(session_progs(ss->session));
	__u32 newest = p && p->id > ss->last_id ? p->id : ss->last_id;

	for (; p && p->id > ss->last_id; p = p->next)
		add_stream(ss, p);
	ss->last_id = newest;
}

static void stream_push(struct stream_source *ss, const struct stream *st, const char *report,
			size_t len)
{
	struct failure f = { .source = &source_stream, .prog_id = st->prog_id };

	f.ev.owner_cpu = -1;
	f.ev.wait_ns = WAIT_UNKNOWN;
	f.ev.nr_held = HELD_UNKNOWN;
	/* The text has no time: use the time at which it was read. */
	f.ev.ts_ns = now_ns();
	if (report_parse(report, len, &f)) {
		ss->unread++;
		return;
	}
	/* The report names the thread only. */
	task_find(f.ev.tid, &f.ev.pid, NULL);
	f.prog = proginfos_by_id(session_progs(ss->session), st->prog_id);
	f.report = strndup(report, len);
	session_push(ss->session, &f);
}

static void stream_note_foreign(struct stream_source *ss, const struct stream *st, const char *text,
				size_t len)
{
	const char *line = text;

	while (line < text + len) {
		int n = strcspn(line, "\n");

		if (report_headless(line)) {
			ss->unread++;
		} else if (n) {
			ss->foreign++;
			pr_debug("program %u wrote: %.*s", st->prog_id, n, line);
		}
		line += n + 1;
	}
}

static void stream_split(struct stream_source *ss, struct stream *st, bool all)
{
	const char *from = st->text, *begin, *end, *rest;

	while ((begin = report_find(from, all, &end))) {
		stream_note_foreign(ss, st, from, begin - from);
		stream_push(ss, st, begin, end - begin);
		from = end;
	}
	rest = all ? from + strlen(from) : report_rest(from);
	stream_note_foreign(ss, st, from, rest - from);
	st->len -= rest - st->text;
	memmove(st->text, rest, st->len + 1);
}

/* Reads all text that is there now. Returns the number of bytes. */
static size_t stream_slurp(struct stream_source *ss, struct stream *st, int fd)
{
	static char buf[CAPACITY + 1];
	size_t total = 0;
	ssize_t n;

	while ((n = progstream_read(fd, PROGSTREAM_STDERR, buf, CAPACITY)) > 0) {
		if (report_append(&st->text, &st->len, buf, n)) {
			ss->incomplete = true;
			break;
		}
		total += n;
	}
	ss->incomplete |= n < 0;
	return total;
}

/* Releases the program. False if it is gone, since only we held it. */
static bool let_go(struct stream_source *ss, struct stream *st)
{
	int fd;

	let_be(ss, st);
	/* Nobody runs a program that only we hold: there is nothing more to come from it. */
	fd = bpf_prog_get_fd_by_id(st->prog_id);
	if (fd < 0)
		return errno != ENOENT;
	stream_keep(ss, st, fd);
	return true;
}

static void read_reports(struct stream_source *ss, struct stream *st, int fd, __u64 now)
{
	size_t got = stream_slurp(ss, st, fd);

	if (got) {
		st->last_ns = now;
		count_dropped(ss, st, fd);
		ss->incomplete |= got > NEARLY_FULL && !ss->counted;
		stream_split(ss, st, false);
		if (st->len > REPORT_MAX)
			stream_split(ss, st, true);
	} else if (st->len && now - st->last_ns > COMPLETE_NS) {
		stream_split(ss, st, true);
	}
}

static bool not_opened(struct stream_source *ss, const struct stream *st, int err)
{
	if (st->may_lock && !ss->incomplete) {
		pr_debug("stream of program %u not read: %s", st->prog_id, strerror(err));
		ss->incomplete = true;
	}
	return err != ENOENT;
}

/* False: the program is gone. */
static bool poll_stream(struct stream_source *ss, struct stream *st, __u64 now, bool last)
{
	int fd = st->fd >= 0 ? st->fd : bpf_prog_get_fd_by_id(st->prog_id);
	bool due;

	if (fd < 0)
		return not_opened(ss, st, errno);
	read_reports(ss, st, fd, now);
	due = last || now - st->last_ns >= HOLD_NS;
	if (due) {
		/* If the kernel is out of memory, no text comes, but the drops are counted. */
		count_dropped(ss, st, fd);
		st->last_ns = now;
	}
	if (st->fd >= 0)
		return !due || last || let_go(ss, st);
	stream_keep(ss, st, fd);
	return true;
}

static void stream_free(struct stream_source *ss, struct stream *st)
{
	let_be(ss, st);
	free(st->text);
	free(st);
}

/*
 * Streams of programs that take locks are read each time. Such a program may report failures
 * itself, and when its own report is handed out, the kernel's must have been read. all: also reads
 * programs that take no locks.
 */
static void poll_streams(struct stream_source *ss, __u64 now, bool all, bool last)
{
	for (struct stream **at = &ss->streams; *at;) {
		struct stream *st = *at;
		bool there = (!all && !st->may_lock) || poll_stream(ss, st, now, last);

		if (there && !last) {
			at = &st->next;
			continue;
		}
		if (st->len)
			stream_split(ss, st, true);
		*at = st->next;
		stream_free(ss, st);
	}
}

/* Skips reports from before the session. */
static void skip_old(struct stream_source *ss, struct stream *st)
{
	static char old[CAPACITY];
	int fd = st->fd >= 0 ? st->fd : bpf_prog_get_fd_by_id(st->prog_id);

	if (fd < 0)
		return;
	while (progstream_read(fd, PROGSTREAM_STDERR, old, sizeof(old)) > 0)
		;
	ss->counted |= read_dropped(fd, &st->dropped);
	if (st->fd < 0)
		close(fd);
}

/* Text that one reader takes is not seen by the other. */
static void find_readers(struct stream_source *ss)
{
	if (ss->shared || !readers_others(ss->joined))
		return;
	ss->shared = ss->incomplete = true;
	pr_warn("another rqspin reads the error streams too: each sees only some of the failures; "
		"stop one of them");
}

/* A reader other than rqspin is noticed only after it has taken text. */
static void find_thefts(struct stream_source *ss)
{
	if (ss->shared || !thefts_any(ss->thefts, session_progs(ss->session)))
		return;
	ss->shared = ss->incomplete = true;
	pr_warn("another process reads the error streams too (bpftool prog tracelog?): what it reads "
		"is not shown here");
}

/*
 * The other reader may look for readers only when it polls: give it the time before text is taken.
 */
static void join_readers(struct stream_source *ss)
{
	const struct timespec polls = { .tv_nsec = 2 * POLL_NS };

	ss->joined = readers_join();
	find_readers(ss);
	if (ss->shared)
		nanosleep(&polls, NULL);
}

static void *stream_open(struct session *s)
{
	struct stream_source *ss = calloc(1, sizeof(*ss));

	if (!ss)
		return NULL;
	ss->session = s;
	join_readers(ss);
	ss->thefts = thefts_open();
	proginfos_scan(session_progs(s));
	find_streams(ss);
	for (struct stream *st = ss->streams; st; st = st->next)
		skip_old(ss, st);
	pr_info("reading the error streams of all programs: other readers will not see the text");
	return ss;
}

static void stream_poll(void *state, bool last)
{
	struct stream_source *ss = state;
	__u64 now = now_ns();
	bool all = last || now >= ss->next_round;

	find_streams(ss);
	if (all)
		find_readers(ss);
	poll_streams(ss, now, all, last);
	if (!all)
		return;
	find_thefts(ss);
	ss->next_round = now + POLL_NS;
}

static __u64 stream_lost(void *state, bool *unknown)
{
	struct stream_source *ss = state;

	*unknown |= ss->incomplete;
	pr_debug("stream: %llu not understood, %llu dropped by the kernel",
		 (unsigned long long)ss->unread, (unsigned long long)ss->dropped);
	return ss->unread + ss->dropped;
}

static void stream_close(void *state)
{
	struct stream_source *ss = state;

	if (ss->foreign)
		pr_info("%llu other lines were in the error streams (-v shows them)",
			(unsigned long long)ss->foreign);
	for (struct stream *st = ss->streams, *next; st; st = next) {
		next = st->next;
		stream_free(ss, st);
	}
	if (ss->joined >= 0)
		close(ss->joined);
	thefts_close(ss->thefts);
	free(ss);
}

const struct source source_stream = {
	.name = "stream",
	.what = "the kernel's reports, read from the programs' error streams",
	.rank = 3,
	.traits = SOURCE_REPORTS | SOURCE_PROG_MEMORY,
	.usable = stream_usable,
	.open = stream_open,
	.poll = stream_poll,
	.lost = stream_lost,
	.close = stream_close,
};
