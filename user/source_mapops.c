// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Hash map operations that fail because of a lock inside the map. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <bpf/btf.h>
#include <bpf/libbpf.h>

#include "heldtab.h"
#include "log.h"
#include "probe.h"
#include "trace.h"
#include "witness_ring.h"
#include "bpf/mapops.skel.h"

#define MAX_LINKS 16

struct mapops {
	struct session *session;
	struct mapops_bpf *skel;
	struct witness_rings *rings;
	struct bpf_link *links[MAX_LINKS];
	int nr_links;
};

static bool mapops_usable(char *why, size_t size)
{
	bool ok = probe(PROBE_TRAMPOLINE);

	if (!ok)
		snprintf(why, size, "%s", probe_why(PROBE_TRAMPOLINE));
	return ok;
}

/* Which of the functions this kernel has differs: a compiler may have inlined one. */
static int choose_programs(struct mapops_bpf *skel)
{
	struct btf *btf = btf__load_vmlinux_btf();
	struct bpf_program *prog;
	int found = 0;

	if (!btf)
		return -errno;
	bpf_object__for_each_program(prog, skel->obj)
	{
		if (btf__find_by_name_kind(btf, bpf_program__name(prog), BTF_KIND_FUNC) < 0)
			continue;
		bpf_program__set_autoload(prog, true);
		found++;
	}
	btf__free(btf);
	return found ? 0 : -ENOENT;
}

static int attach(struct mapops *m)
{
	struct bpf_program *prog;
	int err = -ENOENT;

	bpf_object__for_each_program(prog, m->skel->obj)
	{
		struct bpf_link *link;

		if (bpf_program__fd(prog) < 0)
			continue;
		link = bpf_program__attach(prog);
		if (!link) {
			err = -errno;
			pr_debug("fexit/%s: %s", bpf_program__name(prog), strerror(errno));
		} else if (m->nr_links < MAX_LINKS) {
			m->links[m->nr_links++] = link;
		}
	}
	return m->nr_links ? 0 : err;
}

static int start(struct mapops *m)
{
	struct heldtab *held = session_held(m->session);
	int err;

	m->skel = mapops_bpf__open();
	if (!m->skel)
		return -errno;
	err = choose_programs(m->skel);
	if (!err)
		err = witness_prepare(m->skel->maps.witnesses);
	if (err)
		return err;
	m->skel->rodata->nr_cpus = libbpf_num_possible_cpus();
	err = mapops_bpf__load(m->skel);
	if (err)
		return err;
	if (held)
		memcpy(m->skel->bss->held_addr, heldtab_addrs(held),
		       sizeof(m->skel->bss->held_addr));
	m->rings = witness_open(m->skel->maps.witnesses);
	return m->rings ? attach(m) : -errno;
}

static void mapops_close(void *state)
{
	struct mapops *m = state;

	while (m->nr_links)
		bpf_link__destroy(m->links[--m->nr_links]);
	mapops_bpf__destroy(m->skel);
	witness_close(m->rings);
	free(m);
}

static void *mapops_open(struct session *s)
{
	struct mapops *m = calloc(1, sizeof(*m));
	int err;

	if (!m)
		return NULL;
	m->session = s;
	err = start(m);
	if (!err)
		return m;
	mapops_close(m);
	errno = -err;
	return NULL;
}

static void on_witness(const struct witness *w, void *ctx)
{
	struct mapops *m = ctx;
	struct failure f = { .source = &source_mapops };

	f.ev.err = w->err;
	if (w->err == -ETIMEDOUT)
		f.ev.kind = RQSPIN_TIMEOUT;
	witness_failure(w, &f);
	session_push(m->session, &f);
}

static void mapops_poll(void *state, bool last)
{
	struct mapops *m = state;

	(void)last;
	witness_poll(m->rings, on_witness, m);
}

static __u64 mapops_lost(void *state, bool *unknown)
{
	struct mapops *m = state;
	struct bpf_program *prog;

	/* Few of those operations failed, but any may have. */
	bpf_object__for_each_program(prog, m->skel->obj) *unknown |= witness_missed(prog) > 0;
	return witness_lost(m->rings);
}

const struct source source_mapops = {
	.name = "mapops",
	.what = "operations of hash maps that fail inside",
	.rank = 2,
	.usable = mapops_usable,
	.open = mapops_open,
	.poll = mapops_poll,
	.lost = mapops_lost,
	.close = mapops_close,
};
