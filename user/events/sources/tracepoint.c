// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <bpf/bpf.h>
#include <bpf/libbpf.h>

#include "base/clock.h"
#include "names/ksyms.h"
#include "names/lockname.h"
#include "base/log.h"
#include "kernel/probe.h"
#include "names/proginfo.h"
#include "events/sources/told.h"
#include "events/sources/tracepoint.h"
#include "events/session.h"
#include "events/sources/witness_source.h"
#include "bpf/failure.skel.h"

struct tracepoint {
	struct witness_source watch;
	struct failure_bpf *skel;
	__u32 prog_id;
	__u64 scanned_ns; /* programs loaded before are known */
};

static struct bpf_object_skeleton *object_open(void *state)
{
	struct tracepoint *t = state;

	t->skel = failure_bpf__open();
	if (!t->skel)
		return NULL;
	t->watch.shape = &t->skel->rodata->shape;
	t->skel->rodata->nr_cpus = libbpf_num_possible_cpus();
	/* If the range is unknown, more call paths to a lock are counted separately. */
	if (t->watch.session)
		ksyms_text(locknames_ksyms(session_locks(t->watch.session)),
			   &t->skel->rodata->text_start, &t->skel->rodata->text_size);
	return t->skel->skeleton;
}

static int object_loaded(void *state)
{
	struct tracepoint *t = state;
	struct bpf_prog_info info = {};
	__u32 len = sizeof(info);

	if (!bpf_prog_get_info_by_fd(bpf_program__fd(t->skel->progs.failed), &info, &len))
		t->prog_id = info.id;
	return 0;
}

static void object_destroy(void *state)
{
	struct tracepoint *t = state;

	failure_bpf__destroy(t->skel);
}

/* A program's lock, or one inside a map? */
static void name_lock(struct tracepoint *t, struct failure *f)
{
	struct locknames *locks = session_locks(t->watch.session);
	struct lockname name;

	if (locknames_map(locks, f->ev.lock, f->ev.ts_ns, f->prog, &name) && name.map_id) {
		f->prog_lock = !name.internal;
		f->map_id = name.internal ? name.map_id : 0;
	}
}

static __u64 *object_anchor(void *state)
{
	struct tracepoint *t = state;

	return &t->skel->bss->names_anchor;
}

static bool to_failure(void *state, const struct witness *w, const void *details, struct failure *f)
{
	struct tracepoint *t = state;
	const struct witness_told *told = (const struct witness_told *)w;
	struct proginfos *progs = session_progs(t->watch.session);
	struct ksyms *ksyms = locknames_ksyms(session_locks(t->watch.session));

	f->source = &source_tracepoint;
	if (w->ts_ns >= t->scanned_ns) {
		t->scanned_ns = now_ns();
		proginfos_scan(progs);
	}
	told_failure(told, details, f);
	f->no_prog = told_program(told, details, proginfos_first(progs), ksyms, t->prog_id, f) &&
		     !f->prog;
	if (session_tuning(t->watch.session)->stacks)
		f->report = told_trace(told, details, proginfos_first(progs), ksyms);
	name_lock(t, f);
	return true;
}

static const struct witness_source_ops ops = {
	.size = sizeof(struct tracepoint),
	.source = &source_tracepoint,
	.fewer_details = 8,
	.open = object_open,
	.loaded = object_loaded,
	.anchor = object_anchor,
	.destroy = object_destroy,
	.failure = to_failure,
};

static bool tracepoint_usable(char *why, size_t size)
{
	if (!probe_works(PROBE_TRACEPOINT) || !probe_privilege()) {
		snprintf(why, size, "%s",
			 probe_why(probe_works(PROBE_TRACEPOINT) ? PROBE_PRIVILEGE :
								   PROBE_TRACEPOINT));
		return false;
	}
	if (witness_source_works(&ops))
		return true;
	snprintf(why, size, "the tracepoint rqspinlock_failure cannot be watched: %s",
		 strerror(errno));
	return false;
}

static void *tracepoint_open(struct session *s)
{
	return witness_source_open(s, &ops);
}

static __u64 tracepoint_lost(void *state, bool *unknown)
{
	struct tracepoint *t = state;

	__u64 missed = witness_source_missed(&t->watch, NULL);

	(void)unknown;
	pr_debug("tracepoint: %llu overwritten, %llu in contexts on top",
		 witness_lost(t->watch.rings), missed);
	return witness_lost(t->watch.rings) + missed;
}

/* Locks of all kinds. */
static unsigned int tracepoint_sees(const void *state)
{
	(void)state;
	return ~0U;
}

const struct source source_tracepoint = {
	.name = "tracepoint",
	.what = "every failure of the kernel's lock, reported by the lock itself",
	.rank = 1,
	.traits = SOURCE_WHOLE | SOURCE_AT_LOCK | SOURCE_RECORDS,
	.usable = tracepoint_usable,
	.open = tracepoint_open,
	.poll = witness_source_poll,
	.lost = tracepoint_lost,
	.losses = witness_source_losses,
	.sees = tracepoint_sees,
	.close = witness_source_close,
};
