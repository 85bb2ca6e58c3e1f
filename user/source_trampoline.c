// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* The kernel's own reports, watched from inside while they are written; the streams stay unread. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <bpf/libbpf.h>

#include "heldtab.h"
#include "log.h"
#include "probe.h"
#include "proginfo.h"
#include "report_parse.h"
#include "trace.h"
#include "witness_ring.h"
#include "bpf/report.skel.h"

struct trampoline {
	struct session *session;
	struct report_bpf *skel;
	struct witness_rings *rings;
	__u64 unread; /* reports that could not be understood */
};

static bool trampoline_usable(char *why, size_t size)
{
	struct report_bpf *skel;
	bool ok;

	/* The kernel writes its report only where streams work. */
	if (!probe(PROBE_TRAMPOLINE) || !probe(PROBE_STREAM)) {
		snprintf(why, size, "%s",
			 probe_why(probe(PROBE_TRAMPOLINE) ? PROBE_STREAM : PROBE_TRAMPOLINE));
		return false;
	}
	log_trying(true);
	skel = report_bpf__open_and_load();
	ok = skel && !report_bpf__attach(skel);
	log_trying(false);
	if (!ok)
		snprintf(why, size, "the kernel's report functions cannot be watched: %s",
			 strerror(errno));
	report_bpf__destroy(skel);
	return ok;
}

static int start(struct trampoline *t)
{
	struct heldtab *held = session_held(t->session);
	int err;

	t->skel = report_bpf__open();
	if (!t->skel)
		return -errno;
	err = witness_prepare(t->skel->maps.witnesses);
	if (err)
		return err;
	t->skel->rodata->nr_cpus = libbpf_num_possible_cpus();
	err = report_bpf__load(t->skel);
	if (err)
		return err;
	if (held)
		memcpy(t->skel->bss->held_addr, heldtab_addrs(held),
		       sizeof(t->skel->bss->held_addr));
	t->rings = witness_open(t->skel->maps.witnesses);
	return t->rings ? report_bpf__attach(t->skel) : -errno;
}

static void trampoline_close(void *state)
{
	struct trampoline *t = state;

	report_bpf__destroy(t->skel);
	witness_close(t->rings);
	free(t);
}

static void *trampoline_open(struct session *s)
{
	struct trampoline *t = calloc(1, sizeof(*t));
	int err;

	if (!t)
		return NULL;
	t->session = s;
	err = start(t);
	if (!err)
		return t;
	trampoline_close(t);
	errno = -err;
	return NULL;
}

/* The pieces were copied newest first. */
static char *join_pieces(const struct witness *w)
{
	char *text = calloc(1, WITNESS_TEXT + 2), *to = text;
	__u32 end = w->text_len < WITNESS_TEXT ? w->text_len : WITNESS_TEXT;

	while (text && end) {
		__u32 start = end - 1;

		while (start && w->text[start - 1])
			start--;
		memcpy(to, &w->text[start], end - start - 1);
		to += end - start - 1;
		end = start;
	}
	return text;
}

static void on_witness(const struct witness *w, void *ctx)
{
	struct trampoline *t = ctx;
	struct failure f = { .source = &source_trampoline };
	struct failure said = {};
	const char *begin, *end;

	f.report = join_pieces(w);
	begin = f.report ? report_find(f.report, 1, &end) : NULL;
	if (!begin || report_parse(begin, end - begin, &said)) {
		/* Not every report is about locks. */
		if (begin || !f.report)
			t->unread++;
		free(f.report);
		return;
	}
	f.ev.err = said.ev.err;
	f.ev.lock = said.ev.lock;
	f.ev.line = said.ev.line;
	memcpy(f.file, said.file, sizeof(f.file));
	witness_failure(w, &f);
	f.prog_id = w->prog_id;
	f.prog = proginfos_by_id(session_progs(t->session), w->prog_id);
	session_push(t->session, &f);
}

static void trampoline_poll(void *state, bool last)
{
	struct trampoline *t = state;

	(void)last;
	witness_poll(t->rings, on_witness, t);
}

static __u64 trampoline_lost(void *state, bool *unknown)
{
	struct trampoline *t = state;

	(void)unknown;
	return witness_lost(t->rings) + witness_missed(t->skel->progs.report_complete) + t->unread;
}

const struct source source_trampoline = {
	.name = "trampoline",
	.what = "the kernel's reports as it writes them, with the other side",
	.rank = 4,
	.reports = true,
	.usable = trampoline_usable,
	.open = trampoline_open,
	.poll = trampoline_poll,
	.lost = trampoline_lost,
	.close = trampoline_close,
};
