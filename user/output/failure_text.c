// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include <stdio.h>
#include <string.h>

#include "base/escape.h"
#include "base/log.h"
#include "base/out.h"
#include "names/proginfo.h"
#include "output/call_view.h"
#include "output/failure_text.h"
#include "output/lock_view.h"
#include "output/print_opts.h"
#include "output/wait_totals.h"
#include "output/wall_time.h"
#include "events/failure.h"

/* some: there may be more of them. */
static void put_locks(FILE *out, const struct lock_view *v, const __u64 *locks, __u32 nr, bool some)
{
	__u32 shown = nr < RQSPIN_EVENT_HELD ? nr : RQSPIN_EVENT_HELD;

	if (nr == HELD_UNKNOWN) {
		fputs("unknown", out);
		return;
	}
	if (!nr)
		fputs("nothing", out);
	if (some)
		fputs("at least ", out);
	for (__u32 i = 0; i < shown; i++) {
		fputs(i ? ", " : "", out);
		lock_view_put(out, v, locks[i]);
	}
	if (nr > shown)
		fprintf(out, " and %u more", nr - shown);
}

const char *kind_text(const struct rqspin_event *ev, char text[KIND_TEXT])
{
	const char *err = strerrorname_np(-ev->err);

	if (ev->kind == RQSPIN_CYCLE && ev->parties)
		snprintf(text, KIND_TEXT, "CYCLE %u", ev->parties);
	else if (ev->kind != RQSPIN_UNKNOWN || !ev->err)
		snprintf(text, KIND_TEXT, "%s", kind_name(ev->kind));
	else if (err)
		snprintf(text, KIND_TEXT, "UNKNOWN(%s)", err);
	else
		snprintf(text, KIND_TEXT, "UNKNOWN(%d)", ev->err);
	return text;
}

static void put_kind(FILE *out, const struct rqspin_event *ev)
{
	fprintf(out, "%-8s", kind_text(ev, (char[KIND_TEXT]){ 0 }));
}

static void put_prog(FILE *out, const struct failure *f)
{
	if (f->prog)
		fprintf(out, "prog %u %s", f->prog_id, escaped(f->prog->full_name));
	else if (f->ev.prog[0])
		fprintf(out, "prog ? %s", escaped(f->ev.prog));
	else if (f->map_id)
		fprintf(out, "map %u", f->map_id);
	else
		fputs(f->no_prog ? "no prog" : "prog ?", out);
}

static void put_owner(FILE *out, const struct lock_view *v, const struct failure *f)
{
	const struct rqspin_event *ev = &f->ev;

	if (ev->kind == RQSPIN_AA)
		return;
	if (ev->owner_cpu < 0) {
		fputs("; owner unknown", out);
		return;
	}
	fprintf(out, "; owner cpu %d", ev->owner_cpu);
	if (f->owner.known)
		fprintf(out, " %s/%u", f->owner.comm[0] ? escaped(f->owner.comm) : "?",
			f->owner.pid ? f->owner.pid : f->owner.tid);
	fputs(" holds ", out);
	put_locks(out, v, ev->owner_held, ev->nr_owner_held, f->some_owner_held);
	if (ev->owner_wants) {
		fputs(" wants ", out);
		lock_view_put(out, v, ev->owner_wants);
	}
	if (f->nr_chain == 1)
		call_put(out, v, f->chain[0].at);
}

/* Only for cycles of three or more: for two, the text about the owner says it all. */
static void put_cycle(FILE *out, const struct lock_view *v, const struct failure *f)
{
	if (f->nr_chain < 2)
		return;
	fprintf(out, "; cycle: cpu %u wants ", f->ev.cpu);
	lock_view_put(out, v, f->ev.lock);
	for (__u32 i = 0; i < f->nr_chain; i++) {
		fprintf(out, " of cpu %u wants ", f->chain[i].cpu);
		lock_view_put(out, v, f->chain[i].wants);
		call_put(out, v, f->chain[i].at);
	}
	fprintf(out, " of cpu %u", f->ev.cpu);
}

/* The errno of a map operation: it is not always that of the lock. */
static void put_returned(FILE *out, const struct failure *f)
{
	const char *err = f->returned ? strerrorname_np(f->returned) : NULL;

	if (err)
		fprintf(out, "; returned -%s", err);
	else if (f->returned)
		fprintf(out, "; returned -%u", f->returned);
}

static void put_source_text(const char *file, __u32 line, const char *text)
{
	printf("    at %s:%u: ", escaped(file), line);
	for (;;) {
		size_t len = strcspn(text, "\t");

		escape_put(stdout, text, len);
		text += len;
		if (!*text++)
			break;
		putchar(' ');
	}
	putchar('\n');
}

static void put_at(FILE *out, const struct failure *f)
{
	if (!f->ev.line)
		return;
	fputs(f->report_line ? " reported at " : " at ", out);
	line_put(out, f->prog, f->file, f->ev.line);
}

static void put_source_line(const struct failure *f)
{
	const char *file, *text;

	if (f->ev.line && proginfo_line(f->prog, f->file, f->ev.line, &file, &text))
		put_source_text(file, f->ev.line, text);
}

static void put_report(const char *report)
{
	while (*report) {
		size_t len = strcspn(report, "\n");

		fputs("    ", stdout);
		escape_put(stdout, report, len);
		putchar('\n');
		report += len + !!report[len];
	}
}

static void put_wanted(FILE *out, const struct lock_view *v, const struct failure *f)
{
	fputs(": wants ", out);
	if (f->ev.lock || f->map_id)
		lock_view_put_or(out, v, f->ev.lock, f->map_id);
	else
		fputs("unknown", out);
}

int repeat_text(const struct failure *f, const struct lock_view *v, unsigned long long again)
{
	printf("%llu more: ", again);
	put_kind(stdout, &f->ev);
	putchar(' ');
	put_prog(stdout, f);
	put_at(stdout, f);
	put_wanted(stdout, v, f);
	putchar('\n');
	return out_state();
}

void failure_who_put(FILE *out, const struct failure *f)
{
	const struct rqspin_event *ev = &f->ev;

	fprintf(out, "cpu %u %s/%u ", ev->cpu, ev->comm[0] ? escaped(ev->comm) : "?",
		ev->pid ? ev->pid : ev->tid);
	put_prog(out, f);
	put_at(out, f);
}

char *failure_text_body(const struct failure *f, const struct lock_view *v)
{
	const struct rqspin_event *ev = &f->ev;
	char *body = NULL;
	size_t size;
	FILE *out = open_memstream(&body, &size);

	if (!out)
		return NULL;
	put_kind(out, ev);
	putc(' ', out);
	failure_who_put(out, f);
	put_wanted(out, v, f);
	fputs(" holds ", out);
	put_locks(out, v, ev->held, ev->nr_held, f->some_held);
	put_owner(out, v, f);
	put_cycle(out, v, f);
	put_returned(out, f);
	return fclose(out) ? NULL : body;
}

void failure_stack_text(const struct failure *f)
{
	put_source_line(f);
	if (f->report)
		put_report(f->report);
}

int failure_text(const struct failure *f, const char *body, bool stacks)
{
	char when[40];

	wall_time(f->ev.ts_ns, false, when);
	printf("%s %s", when, body);
	if (f->ev.wait_ns != WAIT_UNKNOWN)
		printf("; waited %.3f ms", f->ev.wait_ns / 1e6);
	putchar('\n');
	if (stacks)
		failure_stack_text(f);
	return out_state();
}

static void lost_text(const struct tally_row *r)
{
	if (r->others)
		pr_info("  lost: %llu others", r->lost);
	else if (r->prog_id)
		pr_info("  lost: %llu %s of program %u %s", r->lost, kind_name(r->kind), r->prog_id,
			escaped(r->prog));
	else
		pr_info("  lost: %llu %s of %s", r->lost, kind_name(r->kind),
			r->prog[0] ? escaped(r->prog) : "no program, or an unknown one");
}

void summary_text(const struct trace_totals *t)
{
	char lost[LOSSES_TEXT], skipped[160] = "";

	losses_text(&t->losses, lost);
	if (t->repeats)
		snprintf(skipped, sizeof(skipped), ", %llu are repeats", t->repeats);
	if (t->foreign)
		snprintf(skipped + strlen(skipped), sizeof(skipped) - strlen(skipped),
			 ", %llu of other programs and tasks left out by --only-command",
			 t->foreign);
	if (t->skipped)
		snprintf(skipped + strlen(skipped), sizeof(skipped) - strlen(skipped),
			 ", %llu left out by --rate", t->skipped);
	pr_info("%llu of %llu failed acquisitions shown%s, lost: %s", t->shown, t->events, skipped,
		lost);
	for (size_t i = 0; i < tally_nr(&t->tally); i++)
		if (tally_at(&t->tally, i)->lost)
			lost_text(tally_at(&t->tally, i));
	if (t->waits.longer_ns)
		wait_summary_text(&t->waits);
}
