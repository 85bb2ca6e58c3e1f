// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Every failure of the lock of our kernel series, as the lock itself tells it. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <bpf/bpf.h>
#include <bpf/libbpf.h>

#include "clock.h"
#include "ksyms.h"
#include "lockname.h"
#include "log.h"
#include "probe.h"
#include "proginfo.h"
#include "told.h"
#include "trace.h"
#include "witness_ring.h"
#include "bpf/failure.skel.h"

struct tracepoint {
	struct session *session;
	struct failure_bpf *skel;
	struct witness_rings *rings;
	__u32 prog_id;
	__u64 scanned_ns; /* programs loaded before are known */
};

static bool tracepoint_usable(char *why, size_t size)
{
	struct failure_bpf *skel;
	bool ok;

	if (!probe(PROBE_TRACEPOINT) || !probe_privilege()) {
		snprintf(why, size, "%s",
			 probe_why(probe(PROBE_TRACEPOINT) ? PROBE_PRIVILEGE : PROBE_TRACEPOINT));
		return false;
	}
	log_trying(true);
	skel = failure_bpf__open_and_load();
	ok = skel && !failure_bpf__attach(skel);
	log_trying(false);
	if (!ok)
		snprintf(why, size, "the tracepoint rqspinlock_failure cannot be watched: %s",
			 strerror(errno));
	failure_bpf__destroy(skel);
	return ok;
}

static __u32 id_of(const struct bpf_program *prog)
{
	struct bpf_prog_info info = {};
	__u32 len = sizeof(info);

	return bpf_prog_get_info_by_fd(bpf_program__fd(prog), &info, &len) ? 0 : info.id;
}

static int start(struct tracepoint *t)
{
	int err;

	t->skel = failure_bpf__open();
	if (!t->skel)
		return -errno;
	err = witness_prepare(t->skel->maps.witnesses);
	if (err)
		return err;
	err = failure_bpf__load(t->skel);
	if (err)
		return err;
	t->prog_id = id_of(t->skel->progs.failed);
	t->rings = witness_open(t->skel->maps.witnesses);
	return t->rings ? failure_bpf__attach(t->skel) : -errno;
}

static void tracepoint_close(void *state)
{
	struct tracepoint *t = state;

	failure_bpf__destroy(t->skel);
	witness_close(t->rings);
	free(t);
}

static void *tracepoint_open(struct session *s)
{
	struct tracepoint *t = calloc(1, sizeof(*t));
	int err;

	if (!t)
		return NULL;
	t->session = s;
	err = start(t);
	if (!err)
		return t;
	tracepoint_close(t);
	errno = -err;
	return NULL;
}

/* A program's lock, or one inside a map? */
static void name_lock(struct tracepoint *t, struct failure *f)
{
	struct locknames *locks = session_locks(t->session);
	struct lockname name;

	locknames_at(locks, f->ev.ts_ns, f->prog);
	if (locknames_find(locks, f->ev.lock, &name) && name.map_id) {
		f->prog_lock = !name.internal;
		f->map_id = name.internal ? name.map_id : 0;
	}
	locknames_at(locks, 0, NULL);
}

static void on_witness(const struct witness *w, void *ctx)
{
	struct tracepoint *t = ctx;
	struct proginfos *progs = session_progs(t->session);
	struct ksyms *ksyms = locknames_ksyms(session_locks(t->session));
	struct failure f = { .source = &source_tracepoint };

	if (w->ts_ns >= t->scanned_ns) {
		t->scanned_ns = now_ns();
		proginfos_scan(progs);
	}
	told_failure(w, &f);
	f.no_prog = told_program(w, proginfos_first(progs), ksyms, t->prog_id, &f) && !f.prog;
	f.report = told_trace(w, proginfos_first(progs), ksyms);
	name_lock(t, &f);
	session_push(t->session, &f);
}

static void tracepoint_poll(void *state, bool last)
{
	struct tracepoint *t = state;

	(void)last;
	witness_poll(t->rings, on_witness, t);
}

static __u64 tracepoint_lost(void *state, bool *unknown)
{
	struct tracepoint *t = state;

	(void)unknown;
	pr_debug("tracepoint: %llu overwritten, %llu in contexts on top", witness_lost(t->rings),
		 witness_missed(t->skel->progs.failed));
	return witness_lost(t->rings) + witness_missed(t->skel->progs.failed);
}

const struct source source_tracepoint = {
	.name = "tracepoint",
	.what = "every failure of the kernel's lock, told by the lock itself",
	.rank = 1,
	.whole = true,
	.usable = tracepoint_usable,
	.open = tracepoint_open,
	.poll = tracepoint_poll,
	.lost = tracepoint_lost,
	.close = tracepoint_close,
};
