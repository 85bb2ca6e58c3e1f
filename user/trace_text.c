// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "lockname.h"
#include "log.h"
#include "proginfo.h"
#include "trace.h"
#include "trace_print.h"

#define LOCK_TEXT 320

static void put_lock(struct session *s, __u64 addr, const struct print_opts *opts)
{
	char text[LOCK_TEXT];
	struct lockname name;

	locknames_find(session_locks(s), addr, &name);
	lockname_text(&name, opts->no_addr, text, sizeof(text));
	fputs(text, stdout);
	/* A variable's name alone does not say which of two loaded copies. */
	if (name.map_id)
		printf("(map %u)", name.map_id);
}

/* some: there may be more of them. */
static void put_locks(struct session *s, const __u64 *locks, __u32 nr, bool some,
		      const struct print_opts *opts)
{
	__u32 shown = nr < RQSPIN_EVENT_HELD ? nr : RQSPIN_EVENT_HELD;

	if (nr == HELD_UNKNOWN) {
		fputs("unknown", stdout);
		return;
	}
	if (!nr)
		fputs("nothing", stdout);
	if (some)
		fputs("at least ", stdout);
	for (__u32 i = 0; i < shown; i++) {
		fputs(i ? ", " : "", stdout);
		put_lock(s, locks[i], opts);
	}
	if (nr > shown)
		printf(" and %u more", nr - shown);
}

static void put_kind(const struct rqspin_event *ev)
{
	char text[24];

	if (ev->kind == RQSPIN_CYCLE && ev->parties)
		snprintf(text, sizeof(text), "CYCLE %u", ev->parties);
	else if (ev->kind == RQSPIN_UNKNOWN)
		snprintf(text, sizeof(text), ev->err ? "UNKNOWN(%s)" : "UNKNOWN",
			 strerrorname_np(-ev->err));
	else
		snprintf(text, sizeof(text), "%s", kind_name(ev->kind));
	printf("%-8s", text);
}

static void put_who(const struct failure *f)
{
	printf(" cpu %u %s/%u ", f->ev.cpu, f->ev.comm[0] ? f->ev.comm : "?",
	       f->ev.pid ? f->ev.pid : f->ev.tid);
	if (f->prog)
		printf("prog %u %s", f->prog_id, f->prog->full_name);
	else if (f->ev.prog[0])
		printf("prog ? %s", f->ev.prog);
	else if (f->map_id)
		printf("map %u", f->map_id);
	else
		fputs(f->no_prog ? "no prog" : "prog ?", stdout);
}

static void put_owner(struct session *s, const struct failure *f, const struct print_opts *opts)
{
	const struct rqspin_event *ev = &f->ev;

	if (ev->kind == RQSPIN_AA)
		return;
	if (ev->owner_cpu < 0) {
		fputs("; owner unknown", stdout);
		return;
	}
	printf("; owner cpu %d holds ", ev->owner_cpu);
	put_locks(s, ev->owner_held, ev->nr_owner_held, f->some_owner_held, opts);
	if (ev->owner_wants) {
		fputs(" wants ", stdout);
		put_lock(s, ev->owner_wants, opts);
	}
}

/* Of three and more: the owner's line has said all of two. */
static void put_cycle(struct session *s, const struct failure *f, const struct print_opts *opts)
{
	if (f->nr_chain < 2)
		return;
	printf("; cycle: cpu %u wants ", f->ev.cpu);
	put_lock(s, f->ev.lock, opts);
	for (__u32 i = 0; i < f->nr_chain; i++) {
		printf(" of cpu %u wants ", f->chain[i].cpu);
		put_lock(s, f->chain[i].wants, opts);
	}
	printf(" of cpu %u", f->ev.cpu);
}

static void put_source_line(const struct failure *f)
{
	const char *file, *text;

	if (f->ev.line && proginfo_line(f->prog, f->file, f->ev.line, &file, &text))
		printf("    at %s:%u: %s\n", file, f->ev.line, text);
	else if (f->ev.line)
		printf("    at line %u\n", f->ev.line);
}

static void put_report(const char *report)
{
	while (*report) {
		int len = strcspn(report, "\n");

		printf("    %.*s\n", len, report);
		report += len + !!report[len];
	}
}

static int flushed(void)
{
	return fflush(stdout) || ferror(stdout) ? -(errno ? errno : EIO) : 0;
}

int print_failure(struct session *s, const struct failure *f, const struct print_opts *opts)
{
	const struct rqspin_event *ev = &f->ev;
	char when[40];

	if (opts->json)
		return json_failure(s, f, opts);
	wall_time(ev->ts_ns, false, when);
	printf("%s ", when);
	put_kind(ev);
	put_who(f);
	fputs(": wants ", stdout);
	if (ev->lock)
		put_lock(s, ev->lock, opts);
	else if (f->map_id)
		printf("a lock inside map %u", f->map_id);
	else
		fputs("unknown", stdout);
	fputs(" holds ", stdout);
	put_locks(s, ev->held, ev->nr_held, f->some_held, opts);
	put_owner(s, f, opts);
	put_cycle(s, f, opts);
	if (ev->wait_ns != WAIT_UNKNOWN)
		printf("; waited %.3f ms", ev->wait_ns / 1e6);
	if (f->drained)
		fputs(", until the waiter in front timed out", stdout);
	putchar('\n');
	if (opts->stacks) {
		put_source_line(f);
		if (f->report)
			put_report(f->report);
	}
	return flushed();
}

int print_summary(struct session *s, const struct trace_totals *t, const struct print_opts *opts)
{
	char lost[LOSSES_TEXT];

	if (opts->json)
		return json_summary(s, t);
	losses_text(&t->losses, lost);
	pr_info("%llu failed acquisitions shown of %llu seen, lost: %s", t->shown, t->events, lost);
	return 0;
}
