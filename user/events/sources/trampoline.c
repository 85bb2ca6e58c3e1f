// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <bpf/libbpf.h>

#include "base/log.h"
#include "kernel/fexit.h"
#include "kernel/probe.h"
#include "names/proginfo.h"
#include "events/sources/report_parse.h"
#include "events/session.h"
#include "events/sources/trampoline.h"
#include "events/sources/witness_source.h"
#include "bpf/report.skel.h"

/* Without this program, the other side is read when a report ends, not when it begins. */
#define BEGINS	  "report_begins"
#define BEGINS_AT "bpf_prog_find_from_stack"

struct trampoline {
	struct witness_source watch;
	struct report_bpf *skel;
	bool warned;
};

static struct bpf_object_skeleton *object_open(void *state)
{
	struct trampoline *t = state;

	t->skel = report_bpf__open();
	if (!t->skel)
		return NULL;
	t->watch.shape = &t->skel->rodata->shape;
	t->skel->rodata->nr_cpus = libbpf_num_possible_cpus();
	bpf_program__set_autoload(t->skel->progs.report_begins, fexit_loads(BEGINS_AT));
	return t->skel->skeleton;
}

static int object_loaded(void *state)
{
	struct trampoline *t = state;

	/* Without the tables, only the other side is unknown. */
	witness_source_held(&t->watch, t->skel->bss->held_addr, sizeof(t->skel->bss->held_addr));
	return 0;
}

static void object_destroy(void *state)
{
	struct trampoline *t = state;

	report_bpf__destroy(t->skel);
}

static bool is_optional(const char *prog)
{
	return !strcmp(prog, BEGINS);
}

/* Each of the text's pieces ends with a 0. */
static char *join_pieces(const struct witness_report *r)
{
	__u32 end = r->text_len < WITNESS_TEXT ? r->text_len : WITNESS_TEXT;
	char *text = calloc(1, WITNESS_TEXT + 1), *to = text;

	for (__u32 i = 0; text && i < end; i++)
		if (r->text[i])
			*to++ = r->text[i];
	return text;
}

static void report_check(struct trampoline *t, const struct witness_report *r)
{
	if (!r->cut || t->warned)
		return;
	pr_warn("the kernel left lines out of a report (no memory, or a line of more than 1024 "
		"bytes): source lines may be missing");
	t->warned = true;
}

/* Adds the source line, which only the text has, and the lock if it is still unknown. */
static void use_text(const struct witness_report *r, struct failure *f)
{
	struct failure said = {};
	const char *begin, *end;

	f->report = join_pieces(r);
	begin = f->report ? report_find(f->report, 1, &end) : NULL;
	if (!begin) {
		free(f->report);
		f->report = NULL;
		return;
	}
	/* Without the line of the lock, that of the source counts all the same. */
	report_parse(begin, end - begin, &said);
	if (!f->ev.lock)
		f->ev.lock = said.ev.lock;
	f->ev.line = said.ev.line;
	memcpy(f->file, said.file, sizeof(f->file));
}

static __u64 *object_anchor(void *state)
{
	struct trampoline *t = state;

	return &t->skel->bss->names_anchor;
}

static bool to_failure(void *state, const struct witness *w, const void *details, struct failure *f)
{
	struct trampoline *t = state;
	const struct witness_report *r = details;

	f->source = &source_trampoline;
	f->prog_id = w->prog_id;
	f->prog = proginfos_by_id(session_progs(t->watch.session), w->prog_id);
	witness_failure(w, r ? &r->t : NULL, f);
	if (r) {
		report_check(t, r);
		use_text(r, f);
	}
	return true;
}

static const struct witness_source_ops ops = {
	.size = sizeof(struct trampoline),
	.source = &source_trampoline,
	.fewer_details = 32,
	.open = object_open,
	.loaded = object_loaded,
	.optional = is_optional,
	.anchor = object_anchor,
	.destroy = object_destroy,
	.failure = to_failure,
};

static bool trampoline_usable(char *why, size_t size)
{
	/* The kernel writes its report only where streams work. */
	if (!probe_works(PROBE_TRAMPOLINE) || !probe_works(PROBE_STREAM)) {
		snprintf(
			why, size, "%s",
			probe_why(probe_works(PROBE_TRAMPOLINE) ? PROBE_STREAM : PROBE_TRAMPOLINE));
		return false;
	}
	if (witness_source_works(&ops))
		return true;
	snprintf(why, size, "the kernel's report functions cannot be watched: %s", strerror(errno));
	return false;
}

static void *trampoline_open(struct session *s)
{
	return witness_source_open(s, &ops);
}

static __u64 trampoline_lost(void *state, bool *unknown)
{
	struct trampoline *t = state;

	*unknown |= witness_unsure(t->watch.rings) > 0;
	return witness_lost(t->watch.rings) + witness_source_missed(&t->watch, "report_complete");
}

const struct source source_trampoline = {
	.name = "trampoline",
	.what = "the kernel's reports as it writes them, with the other side",
	.rank = 4,
	.traits = SOURCE_REPORTS | SOURCE_AT_LOCK | SOURCE_RECORDS,
	.usable = trampoline_usable,
	.open = trampoline_open,
	.poll = witness_source_poll,
	.lost = trampoline_lost,
	.losses = witness_source_losses,
	.close = witness_source_close,
};
