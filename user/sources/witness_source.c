// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <bpf/libbpf.h>

#include "base/log.h"
#include "kernel/heldtab.h"
#include "kernel/runqueues.h"
#include "names/proginfo.h"
#include "sources/witness_source.h"
#include "trace/session.h"

static int attach(struct witness_source *ws)
{
	return ws->ops->attach ? ws->ops->attach(ws) : bpf_object__attach_skeleton(ws->skeleton);
}

/* Is it only to be found out whether the object loads? Then little memory will do. */
static int prepare(struct witness_source *ws)
{
	const struct session_tuning *tuning = ws->session ? session_tuning(ws->session) : NULL;

	ws->shape->want_stacks = tuning && tuning->stacks;
	/* Without: what runs on an owner's CPU is unknown. */
	if (tuning && runqueues_find(ws->shape->rq_addr))
		pr_debug("what runs on an owner's CPU stays unknown");
	return witness_prepare(*ws->skeleton->obj, ws->shape,
			       tuning ? tuning->buffer : SESSION_BUFFER_MIN,
			       ws->ops->fewer_details);
}

static int load(struct witness_source *ws)
{
	int err;

	ws->skeleton = ws->ops->open(ws);
	if (!ws->skeleton)
		return -errno;
	err = prepare(ws);
	if (!err)
		err = bpf_object__load_skeleton(ws->skeleton);
	if (!err && ws->ops->loaded)
		err = ws->ops->loaded(ws);
	if (err)
		return err;
	ws->rings = witness_open(*ws->skeleton->obj);
	return ws->rings ? 0 : -errno;
}

static struct witness_source *start(struct session *s, const struct witness_source_ops *ops)
{
	struct witness_source *ws = calloc(1, ops->size);
	int err;

	if (!ws)
		return NULL;
	ws->ops = ops;
	ws->session = s;
	err = load(ws);
	if (!err)
		err = attach(ws);
	if (!err)
		return ws;
	witness_source_close(ws);
	errno = -err;
	return NULL;
}

void *witness_source_open(struct session *s, const struct witness_source_ops *ops)
{
	return start(s, ops);
}

bool witness_source_works(const struct witness_source_ops *ops)
{
	struct witness_source *ws;

	log_trying(true);
	ws = start(NULL, ops);
	log_trying(false);
	if (ws)
		witness_source_close(ws);
	return ws;
}

void witness_source_close(void *state)
{
	struct witness_source *ws = state;

	for (__u32 i = 0; ws->likes && i < witness_groups_max(ws->rings); i++) {
		if (ws->likes[i])
			proginfo_put(ws->likes[i]->prog);
		free(ws->likes[i]);
	}
	free(ws->likes);
	ws->ops->destroy(ws);
	witness_close(ws->rings);
	free(ws);
}

static void on_witness(const struct witness *w, const void *details, void *ctx)
{
	struct witness_source *ws = ctx;
	struct failure f = {};

	if (ws->ops->failure(ws, w, details, &f))
		session_push(ws->session, &f);
}

/* While its program and its lock have names. */
static void remember(const struct witness *first, __u32 group, __u64 lost, void *ctx)
{
	struct witness_source *ws = ctx;
	struct failure f = {}, *like;

	(void)lost;
	if (ws->likes[group] || !ws->ops->failure(ws, first, NULL, &f))
		return;
	free(f.report);
	f.report = NULL;
	like = malloc(sizeof(*like));
	if (!like)
		return;
	*like = f;
	proginfo_get(f.prog);
	ws->likes[group] = like;
}

static void remember_groups(struct witness_source *ws)
{
	__u64 used = witness_groups_used(ws->rings);

	if (used == ws->nr_likes)
		return;
	ws->nr_likes = used;
	if (!ws->likes)
		ws->likes = calloc(witness_groups_max(ws->rings), sizeof(*ws->likes));
	if (ws->likes)
		witness_groups(ws->rings, remember, ws);
}

void witness_source_poll(void *state, bool last)
{
	struct witness_source *ws = state;

	witness_poll(ws->rings, last, on_witness, ws);
	remember_groups(ws);
}

struct losing {
	struct witness_source *ws;
	loss_fn fn;
	void *ctx;
};

static void on_group(const struct witness *first, __u32 group, __u64 lost, void *ctx)
{
	struct losing *l = ctx;

	(void)first;
	if (lost && l->ws->likes && l->ws->likes[group])
		l->fn(l->ws->likes[group], lost, l->ctx);
}

void witness_source_losses(void *state, loss_fn fn, void *ctx)
{
	struct losing l = { state, fn, ctx };

	witness_groups(l.ws->rings, on_group, &l);
}

int witness_source_held(const struct witness_source *ws, __u64 *addrs, size_t size)
{
	struct heldtab *held = ws->session ? session_held(ws->session) : NULL;

	if (!held)
		return -EOPNOTSUPP;
	memcpy(addrs, heldtab_addrs(held), size);
	return 0;
}
