// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include <errno.h>
#include <stdio.h>
#include <bpf/libbpf.h>

#include "base/clock.h"
#include "kernel/probe.h"
#include "names/ksyms.h"
#include "names/lockname.h"
#include "names/proginfo.h"
#include "names/slowpaths.h"
#include "events/sources/longwaits.h"
#include "events/sources/told.h"
#include "events/sources/witness_source.h"
#include "events/session.h"
#include "bpf/longwaits.skel.h"

struct longwaits {
	struct witness_source watch;
	struct longwaits_bpf *skel;
	__u64 scanned_ns; /* programs loaded before are known */
};

static bool longwaits_usable(char *why, size_t size)
{
	struct slowpath found[SLOWPATHS];
	struct ksyms *ks;
	bool any;

	if (!probe_works(PROBE_CONTENTION)) {
		snprintf(why, size, "%s", probe_why(PROBE_CONTENTION));
		return false;
	}
	ks = ksyms_open();
	any = ks && slowpaths_find(ks, found);
	ksyms_close(ks);
	if (!any)
		snprintf(why, size,
			 "this kernel has no resilient locks, or hides their functions in "
			 "/proc/kallsyms");
	return any;
}

static struct bpf_object_skeleton *object_open(void *state)
{
	struct longwaits *l = state;
	struct ksyms *ks = locknames_ksyms(session_locks(l->watch.session));

	l->skel = longwaits_bpf__open();
	if (!l->skel)
		return NULL;
	if (!ks || !slowpaths_find(ks, l->skel->rodata->slow)) {
		errno = EOPNOTSUPP;
		return NULL;
	}
	l->watch.shape = &l->skel->rodata->shape;
	l->skel->rodata->nr_cpus = libbpf_num_possible_cpus();
	l->skel->rodata->longer_ns = session_tuning(l->watch.session)->longer_ns;
	return l->skel->skeleton;
}

static __u64 *object_anchor(void *state)
{
	struct longwaits *l = state;

	return &l->skel->bss->names_anchor;
}

static void object_destroy(void *state)
{
	struct longwaits *l = state;

	longwaits_bpf__destroy(l->skel);
}

static void longwaits_name_map(struct longwaits *l, struct failure *f)
{
	struct lockname name;

	if (locknames_map(session_locks(l->watch.session), f->ev.lock, f->ev.ts_ns, f->prog,
			  &name) &&
	    name.internal)
		f->map_id = name.map_id;
}

static bool to_wait(void *state, const struct witness *w, const void *details, struct failure *f)
{
	struct longwaits *l = state;
	const struct witness_told *told = (const struct witness_told *)w;
	struct proginfos *progs = session_progs(l->watch.session);
	struct ksyms *ks = locknames_ksyms(session_locks(l->watch.session));

	if (w->ts_ns >= l->scanned_ns) {
		l->scanned_ns = now_ns();
		proginfos_scan(progs);
	}
	f->source = &source_longwaits;
	f->waited = true;
	witness_facts(w, f);
	f->ev.owner_cpu = -1;
	f->ev.nr_held = f->ev.nr_owner_held = HELD_UNKNOWN;
	f->no_prog = told_program(told, details, proginfos_first(progs), ks, 0, f) && !f->prog;
	if (session_tuning(l->watch.session)->stacks)
		f->report = told_trace(told, details, proginfos_first(progs), ks);
	longwaits_name_map(l, f);
	return true;
}

static const struct witness_source_ops ops = {
	.size = sizeof(struct longwaits),
	.source = &source_longwaits,
	.sparse = true,
	.open = object_open,
	.anchor = object_anchor,
	.destroy = object_destroy,
	.failure = to_wait,
};

static void *longwaits_open(struct session *s)
{
	return witness_source_open(s, &ops);
}

static __u64 longwaits_lost(void *state, bool *unknown)
{
	struct longwaits *l = state;

	/* Few of the missed calls are about long waits, but any may have been. */
	*unknown |= witness_source_missed(&l->watch, NULL) || witness_unsure(l->watch.rings);
	return witness_lost(l->watch.rings);
}

const struct source source_longwaits = {
	.name = "waits",
	.what = "long waits that end well",
	.rank = 6,
	.traits = SOURCE_RECORDS | SOURCE_WAITS,
	.usable = longwaits_usable,
	.open = longwaits_open,
	.poll = witness_source_poll,
	.lost = longwaits_lost,
	.close = witness_source_close,
};
