// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <bpf/bpf.h>
#include <bpf/libbpf.h>

#include "base/log.h"
#include "kernel/heldtab.h"
#include "kernel/progplace.h"
#include "kernel/runqueues.h"
#include "names/proginfo.h"
#include "events/sources/witness_recall.h"
#include "events/sources/witness_source.h"
#include "events/session.h"
#include "events/source.h"

/* 0, -ENOENT for a program that was not loaded, or -errno */
static int attach_one(struct witness_source *ws, const struct bpf_prog_skeleton *p)
{
	if (bpf_program__fd(*p->prog) < 0)
		return -ENOENT;
	*p->link = bpf_program__attach(*p->prog);
	if (!*p->link) {
		int err = -errno;

		pr_debug("%s: %s", p->name, strerror(-err));
		return err;
	}
	if (ws->ops->attached)
		ws->ops->attached(p->name, ws);
	return 0;
}

static int witness_source_attach(struct witness_source *ws)
{
	int last = -ENOENT, nr = 0;

	for (int i = 0; i < ws->skeleton->prog_cnt; i++) {
		const struct bpf_prog_skeleton *p = witness_skeleton_prog(ws->skeleton, i);
		int err = attach_one(ws, p);

		if (err && !(ws->ops->optional && ws->ops->optional(p->name)))
			return err;
		if (err && err != -ENOENT)
			last = err;
		nr += !err;
	}
	return nr ? 0 : last;
}

/* A recorder has no reader who could look at details in time. */
static unsigned int fewer_details(const struct witness_source *ws, bool pins)
{
	if (ws->ops->sparse)
		return ws->shape->want_stacks ? 1 : UINT_MAX;
	return pins ? 1 : ws->ops->fewer_details;
}

/* Without a session the object is loaded only to see if it loads: with the smallest rings. */
static int witness_source_prepare(struct witness_source *ws)
{
	const struct session_tuning *tuning = ws->session ? session_tuning(ws->session) : NULL;
	struct witness_room room = { .buffer = tuning ? tuning->buffer : SESSION_BUFFER_MIN };
	bool pins = tuning && tuning->pin;

	ws->shape->want_stacks = tuning && tuning->stacks;
	ws->shape->want_names = pins && ws->ops->anchor;
	/* If this fails, the tasks of owners are unknown. */
	if (tuning && runqueues_find(ws->shape->rq_addr))
		pr_debug("what runs on an owner's CPU stays unknown");
	room.fewer_details = fewer_details(ws, pins);
	room.groups = !ws->ops->sparse;
	return witness_prepare(*ws->skeleton->obj, ws->shape, &room);
}

static void map_fds(const struct bpf_object *obj, int fds[WITNESS_NR_MAPS])
{
	for (int i = 0; i < WITNESS_NR_MAPS; i++)
		fds[i] = bpf_object__find_map_fd_by_name(obj, witness_map_name(i));
}

static int witness_source_load(struct witness_source *ws)
{
	int fds[WITNESS_NR_MAPS], err;

	ws->skeleton = ws->ops->open(ws);
	if (!ws->skeleton)
		return -errno;
	err = witness_source_prepare(ws);
	if (!err)
		err = bpf_object__load_skeleton(ws->skeleton);
	if (!err && ws->ops->loaded)
		err = ws->ops->loaded(ws);
	if (err)
		return err;
	map_fds(*ws->skeleton->obj, fds);
	ws->rings = witness_open(fds);
	return ws->rings ? 0 : -errno;
}

/* Passes the place of a program that stays as long as the others: its link is pinned, too. */
static void drop_anchor(struct witness_source *ws)
{
	for (int i = 0; ws->shape->want_names && i < ws->skeleton->prog_cnt; i++) {
		const struct bpf_prog_skeleton *p = witness_skeleton_prog(ws->skeleton, i);

		if (!*p->link)
			continue;
		*ws->ops->anchor(ws) = progplace_find(bpf_program__fd(*p->prog));
		if (!*ws->ops->anchor(ws))
			pr_warn("source %s: programs that are gone will have no names",
				ws->ops->source->name);
		return;
	}
}

static int witness_source_pin(struct witness_source *ws)
{
	const struct session_tuning *tuning = ws->session ? session_tuning(ws->session) : NULL;
	int fds[WITNESS_NR_MAPS];

	if (!tuning || !tuning->pin)
		return 0;
	drop_anchor(ws);
	map_fds(*ws->skeleton->obj, fds);
	snprintf(ws->pins, sizeof(ws->pins), "%s/%s", tuning->pin, ws->ops->source->name);
	return witness_pins_make(ws->pins, ws->skeleton, fds);
}

/* Opens the maps and programs that another process has loaded and attached. */
static int open_pinned(struct witness_source *ws, const char *folder)
{
	int fds[WITNESS_NR_MAPS], err;

	snprintf(ws->pins, sizeof(ws->pins), "%s/%s", folder, ws->ops->source->name);
	err = witness_pins_open(ws->pins, fds);
	if (err)
		return err;
	ws->rings = witness_open(fds);
	err = ws->rings ? 0 : -errno;
	for (int i = 0; i < WITNESS_NR_MAPS; i++)
		close(fds[i]);
	if (!err && ws->ops->attached)
		err = witness_pins_progs(ws->pins, ws->ops->attached, ws);
	return err;
}

static struct witness_source *witness_source_start(struct session *s,
						   const struct witness_source_ops *ops)
{
	struct witness_source *ws = calloc(1, ops->size);
	int err;

	if (!ws)
		return NULL;
	ws->ops = ops;
	ws->session = s;
	if (s && session_tuning(s)->pinned)
		err = open_pinned(ws, session_tuning(s)->pinned);
	else
		err = witness_source_load(ws)		?:
			      witness_source_attach(ws) ?:
							  witness_source_pin(ws);
	if (!err)
		return ws;
	witness_source_close(ws);
	errno = -err;
	return NULL;
}

void *witness_source_open(struct session *s, const struct witness_source_ops *ops)
{
	return witness_source_start(s, ops);
}

bool witness_source_works(const struct witness_source_ops *ops)
{
	struct witness_source *ws;

	log_trying(true);
	ws = witness_source_start(NULL, ops);
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

static void recall_names(const struct witness *w, const void *details,
			 const struct witness_names *names, void *ctx)
{
	struct witness_source *ws = ctx;

	(void)details;
	if (names)
		witness_recall(w, names, session_progs(ws->session), session_locks(ws->session));
}

static void on_witness(const struct witness *w, const void *details,
		       const struct witness_names *names, void *ctx)
{
	struct witness_source *ws = ctx;
	struct failure f = {};

	if (!ws->ops->failure(ws, w, details, &f))
		return;
	if (names)
		witness_recall_line(names, &f);
	session_push(ws->session, &f);
}

/* Looks names up now, while program and map still exist. */
static void group_remember(const struct witness *first, __u32 group, __u64 lost, void *ctx)
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
		witness_groups(ws->rings, group_remember, ws);
}

void witness_source_poll(void *state, bool last)
{
	struct witness_source *ws = state;

	/* Reads all names first: the names stored with one record may name the locks of another. */
	if (session_tuning(ws->session)->pinned && !ws->recalled) {
		witness_each(ws->rings, recall_names, ws);
		ws->recalled = true;
	}
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

struct missing {
	const struct witness_source *ws;
	const char *prog;
	__u64 nr;
};

static void add_missed(const char *prog, void *ctx)
{
	struct missing *m = ctx;

	if (!m->prog || !strcmp(m->prog, prog))
		m->nr += witness_pins_missed(m->ws->pins, prog);
}

__u64 witness_source_missed(const struct witness_source *ws, const char *prog)
{
	struct missing m = { ws, prog, 0 };

	if (!ws->skeleton)
		witness_pins_progs(ws->pins, add_missed, &m);
	for (int i = 0; ws->skeleton && i < ws->skeleton->prog_cnt; i++) {
		const struct bpf_prog_skeleton *p = witness_skeleton_prog(ws->skeleton, i);

		if ((!prog || !strcmp(prog, p->name)) && bpf_program__fd(*p->prog) >= 0)
			m.nr += witness_prog_missed(bpf_program__fd(*p->prog));
	}
	return m.nr;
}
