// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Failures in the lock's queue that no other source reports, such as those of locks inside maps. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <bpf/libbpf.h>

#include "heldtab.h"
#include "lockname.h"
#include "probe.h"
#include "trace.h"
#include "witness_ring.h"
#include "bpf/contention.skel.h"

struct contention {
	struct session *session;
	struct contention_bpf *skel;
	struct witness_rings *rings;
};

static bool contention_usable(char *why, size_t size)
{
	/* Without the tables another lock's -EDEADLK could not be told from a resilient one's. */
	bool ok = probe(PROBE_CONTENTION) && probe(PROBE_HELD_TABLE);

	if (!ok)
		snprintf(why, size, "%s",
			 probe_why(probe(PROBE_CONTENTION) ? PROBE_HELD_TABLE : PROBE_CONTENTION));
	return ok;
}

static int start(struct contention *c)
{
	struct heldtab *held = session_held(c->session);
	int err;

	if (!held)
		return -EOPNOTSUPP;
	c->skel = contention_bpf__open();
	if (!c->skel)
		return -errno;
	err = witness_prepare(c->skel->maps.witnesses);
	if (err)
		return err;
	c->skel->rodata->nr_cpus = libbpf_num_possible_cpus();
	err = contention_bpf__load(c->skel);
	if (err)
		return err;
	memcpy(c->skel->bss->held_addr, heldtab_addrs(held), sizeof(c->skel->bss->held_addr));
	c->rings = witness_open(c->skel->maps.witnesses);
	return c->rings ? contention_bpf__attach(c->skel) : -errno;
}

static void contention_close(void *state)
{
	struct contention *c = state;

	contention_bpf__destroy(c->skel);
	witness_close(c->rings);
	free(c);
}

static void *contention_open(struct session *s)
{
	struct contention *c = calloc(1, sizeof(*c));
	int err;

	if (!c)
		return NULL;
	c->session = s;
	err = start(c);
	if (!err)
		return c;
	contention_close(c);
	errno = -err;
	return NULL;
}

static void on_witness(const struct witness *w, void *ctx)
{
	struct contention *c = ctx;
	struct failure f = { .source = &source_contention };
	struct lockname name;

	f.ev.err = w->err;
	f.ev.lock = w->lock;
	witness_failure(w, &f);
	locknames_at(session_locks(c->session), f.ev.ts_ns, NULL);
	if (locknames_find(session_locks(c->session), w->lock, &name)) {
		f.prog_lock = !name.internal;
		f.map_id = name.internal ? name.map_id : 0;
	}
	locknames_at(session_locks(c->session), 0, NULL);
	session_push(c->session, &f);
}

static void contention_poll(void *state, bool last)
{
	struct contention *c = state;

	(void)last;
	witness_poll(c->rings, on_witness, c);
}

static __u64 contention_lost(void *state, bool *unknown)
{
	struct contention *c = state;

	/* Few of those calls are failures, but any may have been one. */
	*unknown |= witness_missed(c->skel->progs.contended) > 0;
	return witness_lost(c->rings);
}

const struct source source_contention = {
	.name = "contention",
	.what = "failures in the lock's queue (not of its first waiter)",
	.rank = RANK_PARTIAL,
	.usable = contention_usable,
	.open = contention_open,
	.poll = contention_poll,
	.lost = contention_lost,
	.close = contention_close,
};
