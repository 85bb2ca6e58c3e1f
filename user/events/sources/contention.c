// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include <stdio.h>
#include <bpf/libbpf.h>

#include "names/lockname.h"
#include "kernel/probe.h"
#include "events/session.h"
#include "events/sources/contention.h"
#include "events/sources/witness_source.h"
#include "bpf/contention.skel.h"

struct contention {
	struct witness_source watch;
	struct contention_bpf *skel;
};

static bool contention_usable(char *why, size_t size)
{
	/*
	 * Without the tables, -EDEADLK of a resilient lock could not be distinguished from another
	 * lock's.
	 */
	bool ok = probe_works(PROBE_CONTENTION) && probe_works(PROBE_HELD_TABLE);

	if (!ok)
		snprintf(why, size, "%s",
			 probe_why(probe_works(PROBE_CONTENTION) ? PROBE_HELD_TABLE :
								   PROBE_CONTENTION));
	return ok;
}

static struct bpf_object_skeleton *object_open(void *state)
{
	struct contention *c = state;

	c->skel = contention_bpf__open();
	if (!c->skel)
		return NULL;
	c->watch.shape = &c->skel->rodata->shape;
	c->skel->rodata->nr_cpus = libbpf_num_possible_cpus();
	return c->skel->skeleton;
}

static int object_loaded(void *state)
{
	struct contention *c = state;

	return witness_source_held(&c->watch, c->skel->bss->held_addr,
				   sizeof(c->skel->bss->held_addr));
}

static void object_destroy(void *state)
{
	struct contention *c = state;

	contention_bpf__destroy(c->skel);
}

static bool to_failure(void *state, const struct witness *w, const void *details, struct failure *f)
{
	struct contention *c = state;
	struct lockname name;

	f->source = &source_contention;
	witness_failure(w, details, f);
	if (locknames_map(session_locks(c->watch.session), w->lock, f->ev.ts_ns, NULL, &name)) {
		f->prog_lock = !name.internal;
		f->map_id = name.internal ? name.map_id : 0;
	}
	return true;
}

static const struct witness_source_ops ops = {
	.size = sizeof(struct contention),
	.source = &source_contention,
	.fewer_details = 64,
	.open = object_open,
	.loaded = object_loaded,
	.destroy = object_destroy,
	.failure = to_failure,
};

static void *contention_open(struct session *s)
{
	return witness_source_open(s, &ops);
}

static __u64 contention_lost(void *state, bool *unknown)
{
	struct contention *c = state;

	/* Few of the missed calls are failures, but any may have been one. */
	*unknown |= witness_source_missed(&c->watch, NULL) > 0;
	return witness_lost(c->watch.rings);
}

const struct source source_contention = {
	.name = "contention",
	.what = "failures in the lock's queue (not of its first waiter)",
	.rank = RANK_PARTIAL,
	.traits = SOURCE_RECORDS,
	.usable = contention_usable,
	.open = contention_open,
	.poll = witness_source_poll,
	.lost = contention_lost,
	.losses = witness_source_losses,
	.close = witness_source_close,
};
