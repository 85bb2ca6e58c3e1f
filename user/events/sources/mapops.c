// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <bpf/btf.h>
#include <bpf/libbpf.h>

#include "base/clock.h"
#include "base/log.h"
#include "kernel/fexit.h"
#include "kernel/kernelbtf.h"
#include "kernel/maplocks.h"
#include "kernel/probe.h"
#include "names/ksyms.h"
#include "names/lockname.h"
#include "names/proginfo.h"
#include "events/sources/told.h"
#include "events/session.h"
#include "events/sources/mapops.h"
#include "events/sources/witness_source.h"
#include "bpf/mapops.skel.h"

struct mapops {
	struct witness_source watch;
	struct mapops_bpf *skel;
	unsigned int seen[MAPLOCK_NR]; /* number of functions that are traced */
	__u64 scanned_ns;	       /* programs loaded before are known */
};

static bool mapops_usable(char *why, size_t size)
{
	static const enum probe_id needs[] = { PROBE_RES_LOCKS, PROBE_TRAMPOLINE };

	for (size_t i = 0; i < sizeof(needs) / sizeof(needs[0]); i++) {
		if (probe_works(needs[i]))
			continue;
		snprintf(why, size, "%s", probe_why(needs[i]));
		return false;
	}
	return true;
}

/*
 * Kernels differ in the functions that they have, and that they let programs trace: a compiler may
 * have inlined one. Adds up the functions of each lock, and returns the number of all.
 */
static unsigned int choose_programs(struct mapops_bpf *skel, unsigned int chosen[MAPLOCK_NR])
{
	const struct btf *btf = kernelbtf_get();
	struct bpf_program *prog;
	unsigned int nr = 0;

	bpf_object__for_each_program(prog, skel->obj)
	{
		const char *function = bpf_program__name(prog);

		if (!maplock_function_tells(btf, function) || !fexit_loads(function))
			continue;
		bpf_program__set_autoload(prog, true);
		chosen[maplock_of_function(function)]++;
		nr++;
	}
	return nr;
}

static struct bpf_object_skeleton *object_open(void *state)
{
	unsigned int chosen[MAPLOCK_NR] = {};
	struct mapops *m = state;

	m->skel = mapops_bpf__open();
	if (!m->skel)
		return NULL;
	m->watch.shape = &m->skel->rodata->shape;
	m->skel->rodata->nr_cpus = libbpf_num_possible_cpus();
	/* If the range is unknown, more call paths to a lock are counted separately. */
	if (m->watch.session)
		ksyms_text(locknames_ksyms(session_locks(m->watch.session)),
			   &m->skel->rodata->text_start, &m->skel->rodata->text_size);
	if (choose_programs(m->skel, chosen))
		return m->skel->skeleton;
	errno = ENOENT;
	return NULL;
}

/* Without these offsets, locks of LRU lists and free lists are not recognised. */
static void tell_percpu(struct mapops *m)
{
	for (__u32 cpu = 0; m->watch.session && cpu < HELD_CPUS; cpu++)
		m->skel->bss->percpu_delta[cpu] =
			locknames_percpu(session_locks(m->watch.session), cpu);
}

static int object_loaded(void *state)
{
	struct mapops *m = state;

	tell_percpu(m);
	/* Without the tables, only the other side is unknown. */
	witness_source_held(&m->watch, m->skel->bss->held_addr, sizeof(m->skel->bss->held_addr));
	return 0;
}

static void object_attached(const char *prog, void *state)
{
	struct mapops *m = state;

	m->seen[maplock_of_function(prog)]++;
}

static void object_destroy(void *state)
{
	struct mapops *m = state;

	mapops_bpf__destroy(m->skel);
}

static bool is_optional(const char *prog)
{
	(void)prog;
	return true;
}

static __u64 *object_anchor(void *state)
{
	struct mapops *m = state;

	return &m->skel->bss->names_anchor;
}

static bool to_failure(void *state, const struct witness *w, const void *details, struct failure *f)
{
	struct mapops *m = state;
	const struct witness_told *told = (const struct witness_told *)w;
	struct proginfos *progs = session_progs(m->watch.session);
	struct ksyms *ksyms = locknames_ksyms(session_locks(m->watch.session));

	f->source = &source_mapops;
	if (w->ts_ns >= m->scanned_ns) {
		m->scanned_ns = now_ns();
		proginfos_scan(progs);
	}
	witness_failure(w, details, f);
	f->no_prog = told_program(told, NULL, proginfos_first(progs), ksyms, 0, f) && !f->prog;
	if (session_tuning(m->watch.session)->stacks)
		f->report = told_trace(told, NULL, proginfos_first(progs), ksyms);
	return true;
}

static const struct witness_source_ops ops = {
	.size = sizeof(struct mapops),
	.source = &source_mapops,
	.fewer_details = 64,
	.open = object_open,
	.loaded = object_loaded,
	.optional = is_optional,
	.attached = object_attached,
	.anchor = object_anchor,
	.destroy = object_destroy,
	.failure = to_failure,
};

static void *mapops_open(struct session *s)
{
	return witness_source_open(s, &ops);
}

static __u64 mapops_lost(void *state, bool *unknown)
{
	struct mapops *m = state;

	/* Few of the missed operations failed, but any may have. */
	*unknown |= witness_source_missed(&m->watch, NULL) > 0;
	*unknown |= witness_unsure(m->watch.rings) > 0;
	return witness_lost(m->watch.rings);
}

/* A lock's failures are seen if all its functions are traced. */
static unsigned int locks_seen(const unsigned int seen[MAPLOCK_NR])
{
	unsigned int mask = 0;

	for (int i = MAPLOCK_NONE + 1; i < MAPLOCK_NR; i++)
		if (seen[i] && seen[i] == maplock_functions(kernelbtf_get(), i))
			mask |= 1U << i;
	return mask;
}

/* Without a state: what it would see. */
static unsigned int mapops_sees(const void *state)
{
	unsigned int chosen[MAPLOCK_NR] = {};
	const struct mapops *m = state;
	struct mapops_bpf *skel;

	if (m)
		return locks_seen(m->seen);
	skel = mapops_bpf__open();
	if (skel)
		choose_programs(skel, chosen);
	mapops_bpf__destroy(skel);
	return locks_seen(chosen);
}

const struct source source_mapops = {
	.name = "mapops",
	.what = "operations of hash and LRU maps and local storage that fail inside",
	.rank = 2,
	.traits = SOURCE_OPERATIONS | SOURCE_RECORDS,
	.usable = mapops_usable,
	.open = mapops_open,
	.poll = witness_source_poll,
	.lost = mapops_lost,
	.losses = witness_source_losses,
	.sees = mapops_sees,
	.close = witness_source_close,
};
