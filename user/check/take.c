// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include <errno.h>
#include <linux/bpf.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/grow.h"
#include "check/order.h"
#include "check/take.h"

#define AT_ONCE 16 /* instructions between two tries, at most, for a retry */

static struct lockid id_of(const struct val *v)
{
	struct lockid id = { .kind = VAL_ANY };

	if (v->kind == VAL_ELEM || v->kind == VAL_OBJECT || v->kind == VAL_ARENA)
		id = (struct lockid){ v->kind, v->where, v->off, v->sym };
	return id;
}

static void key_text(const struct taker *t, const struct lockid *id, char *text)
{
	const struct check_map *m = &t->s->set->maps[id->where];
	unsigned int nr_words = m->key_size <= KEYTEXT_WHOLE ? (m->key_size + 3) / 4 : 0;
	__u32 words[KEYTEXT_WHOLE / 4 + 1], bytes[KEYTEXT_WHOLE / 4 + 1];
	unsigned int nr = sym_words(t->s->syms, id->sym, words, KEYTEXT_WHOLE / 4 + 1);
	struct keytext key;

	if (!nr || nr != nr_words)
		return;
	for (unsigned int i = 0; i < nr; i++)
		bytes[i] = words[nr - 1 - i];
	keytext_begin(&key, m->key_size);
	keytext_add(&key, bytes, m->key_size);
	keytext_print(&key, text);
}

static struct lock lock_of(const struct taker *t, const struct lockid *id)
{
	struct lock lock = { .kind = LOCK_UNKNOWN, .prog = t->prog };

	if (id->kind == VAL_ELEM) {
		lock.kind = LOCK_MAP;
		lock.map = id->where;
		key_text(t, id, lock.key);
	} else if (id->kind == VAL_ARENA && id->where != ARENA_ANY) {
		/* The arena is one element: its locks differ only by their place. */
		lock.kind = LOCK_MAP;
		lock.map = id->where;
		snprintf(lock.key, sizeof(lock.key), "0");
	} else if (id->kind == VAL_ARENA) {
		lock.kind = LOCK_ARENA;
	} else if (id->kind == VAL_OBJECT) {
		lock.kind = LOCK_OBJECT;
		lock.type = id->where;
	}
	lock.off = id->off;
	lock.sym = id->sym;
	return lock;
}

static bool irqs_off(const struct state *st, unsigned int nr_held)
{
	bool off = st->irq_off;

	for (unsigned int i = 0; i < nr_held; i++)
		off |= st->held[i].irqsave || st->held[i].plain;
	return off;
}

static struct site site_of_held(const struct taker *t, const struct state *st, int nr)
{
	const struct held *h = &st->held[nr];

	return (struct site){ .prog = t->prog,
			      .pc = h->pc,
			      .lock = lock_of(t, &h->lock),
			      .irqs_off = irqs_off(st, nr + 1),
			      .plain = h->plain,
			      .run = t->run };
}

static void set_step(const struct taker *t, const struct lockid *a, const struct lockid *b,
		     struct edge *edge)
{
	if (a->kind != VAL_ELEM || b->kind != VAL_ELEM || a->where != b->where || a->off != b->off)
		return;
	edge->step = sym_is_next(t->s->syms, b->sym, a->sym);
	edge->ring = sym_is_next_in_ring(t->s->syms, b->sym, a->sym);
}

/* Copy the path's conditions on constants. */
static void set_choices(const struct taker *t, const struct state *st, struct edge *edge)
{
	for (int i = 0; i < st->nr_facts && edge->nr_choices < EDGE_CHOICES; i++) {
		const struct fact *f = &st->facts[i];
		struct choice *c = &edge->choices[edge->nr_choices];

		c->op = f->op;
		c->above = sym_is_constant(t->s->syms, f->a, &c->place);
		if (c->above ? sym_is_number(t->s->syms, f->b, &c->number) :
			       sym_is_constant(t->s->syms, f->b, &c->place) &&
				       sym_is_number(t->s->syms, f->a, &c->number))
			edge->nr_choices++;
	}
}

static int record_edges(const struct taker *t, const struct state *st, const struct site *to,
			const struct lockid *id)
{
	struct lock gates[STATE_HELD];
	int err = 0;

	for (int i = 0; !err && i < st->nr_held; i++) {
		struct edge edge = { .from = site_of_held(t, st, i), .to = *to, .gates = gates };

		set_step(t, &st->held[i].lock, id, &edge);
		set_choices(t, st, &edge);
		edge.order = order_of(t->s, st, &st->held[i].lock, id, &edge.differ);
		for (int j = 0; j < st->nr_held; j++)
			if (j != i)
				gates[edge.nr_gates++] = lock_of(t, &st->held[j].lock);
		err = record_edge(t->record, &edge);
	}
	return err;
}

static int record_own(const struct taker *t, const struct state *st, const struct site *site,
		      const struct lockid *id)
{
	for (int i = 0; i < st->nr_held; i++) {
		struct act aa = { ACT_AA, site_of_held(t, st, i), *site, st->loose };

		if (lockid_same(&st->held[i].lock, id))
			return record_act(t->record, &aa);
	}
	return 0;
}

static int record_retry(const struct taker *t, const struct state *st, const struct site *site,
			const struct lockid *id)
{
	struct act retry = { ACT_RETRY, *site, *site, st->loose };

	/* Work on one item after the other, which counts its failures, is no retry. */
	if (!st->failed.kind || !lockid_same(&st->failed, id) || st->failed_held != st->nr_held ||
	    st->quiet_pc != st->failed_pc)
		return 0;
	if (st->failed_pc != st->pc && (st->pc < st->failed_pc || st->pc - st->failed_pc > AT_ONCE))
		return 0;
	retry.first.pc = st->failed_pc;
	return record_act(t->record, &retry);
}

int take_record(const struct taker *t, const struct state *st, const struct call *call)
{
	struct lockid id = id_of(state_reg(st, BPF_REG_1));
	struct site site = { .prog = t->prog,
			     .pc = st->pc,
			     .lock = lock_of(t, &id),
			     .irqs_off = call->irqsave || call->kind == CALL_SPIN_LOCK ||
					 irqs_off(st, st->nr_held),
			     .plain = call->kind == CALL_SPIN_LOCK,
			     .run = t->run };
	int err = record_site(t->record, &site);

	err = err ?: record_edges(t, st, &site, &id);
	err = err ?: record_own(t, st, &site, &id);
	return err ?: record_retry(t, st, &site, &id);
}

int take_record_held(const struct taker *t, const struct state *st)
{
	int err = 0;

	for (int i = 0; !err && i < st->nr_held; i++) {
		struct site site = site_of_held(t, st, i);

		if (!site.irqs_off)
			err = record_site(t->record, &site);
	}
	return err;
}

void take_held(struct state *st, const struct call *call)
{
	st->took = true;
	st->quiet_pc = 0;
	memset(&st->failed, 0, sizeof(st->failed));
	st->failed_pc = 0;
	/* More than the kernel can remember; the verifier has no limit. */
	if (st->nr_held == STATE_HELD) {
		if (st->bounds)
			st->bounds->held++;
		return;
	}
	st->held[st->nr_held++] = (struct held){ .lock = id_of(state_reg(st, BPF_REG_1)),
						 .pc = st->pc,
						 .irqsave = call->irqsave,
						 .plain = call->kind == CALL_SPIN_LOCK };
}

void take_failed(struct state *st)
{
	st->failed = id_of(state_reg(st, BPF_REG_1));
	st->failed_pc = st->pc;
	st->failed_held = st->nr_held;
	st->quiet_pc = st->pc;
	st->clean = false;
}

/* May the two be one lock? Keys are not compared. */
static bool may_match(const struct lockid *a, const struct lockid *b)
{
	if ((a->kind == VAL_ARENA) != (b->kind == VAL_ARENA))
		return false;
	if (a->kind == VAL_ARENA)
		return a->where == ARENA_ANY || b->where == ARENA_ANY;
	if (a->kind == VAL_ANY || b->kind == VAL_ANY)
		return true;
	return a->kind == b->kind && a->where == b->where && a->off == b->off;
}

static void held_drop(struct state *st, int nr)
{
	st->nr_held--;
	memmove(&st->held[nr], &st->held[nr + 1], (st->nr_held - nr) * sizeof(st->held[0]));
	memset(&st->held[st->nr_held], 0, sizeof(st->held[0]));
	memset(&st->failed, 0, sizeof(st->failed));
	st->failed_pc = 0;
}

bool take_release(struct state *st)
{
	struct lockid id = id_of(state_reg(st, BPF_REG_1));

	for (int i = st->nr_held - 1; i >= 0; i--)
		if (lockid_same(&st->held[i].lock, &id)) {
			held_drop(st, i);
			return true;
		}
	for (int i = st->nr_held - 1; i >= 0; i--)
		if (may_match(&st->held[i].lock, &id)) {
			held_drop(st, i);
			return true;
		}
	return false;
}

static int end_normal(struct taker *t, __u64 returns)
{
	for (size_t i = 0; i < t->nr_normal; i++)
		if (t->normal[i] == returns)
			return 0;
	return grow_append((void **)&t->normal, &t->nr_normal, &returns, sizeof(returns));
}

static int end_quiet(struct taker *t, __u32 pc, __u64 returns)
{
	struct quiet_end end = { pc, returns };

	for (size_t i = 0; i < t->nr_quiet; i++)
		if (t->quiet[i].pc == pc && t->quiet[i].returns == returns)
			return 0;
	return grow_append((void **)&t->quiet, &t->nr_quiet, &end, sizeof(end));
}

int take_end(struct taker *t, const struct state *st)
{
	const struct val *r0 = state_reg(st, BPF_REG_0);

	if (r0->kind != VAL_NUMBER)
		return 0;
	if (st->quiet_pc)
		return end_quiet(t, st->quiet_pc, (__u32)r0->number);
	return st->took && st->clean ? end_normal(t, (__u32)r0->number) : 0;
}

void take_free(struct taker *t)
{
	free(t->normal);
	free(t->quiet);
}

static bool is_normal(const struct taker *t, __u64 returns)
{
	for (size_t i = 0; i < t->nr_normal; i++)
		if (t->normal[i] == returns)
			return true;
	return false;
}

static int record_ignored(const struct taker *t, __u32 pc)
{
	for (size_t i = 0; i < t->record->nr_sites; i++) {
		const struct site *site = &t->record->sites[i];
		struct act ignored = { .kind = ACT_IGNORED, .first = *site, .second = *site };

		if (site->prog == t->prog && site->pc == pc)
			return record_act(t->record, &ignored);
	}
	return 0;
}

int take_record_ignored(const struct taker *t)
{
	int err = 0;

	for (size_t i = 0; !err && i < t->nr_quiet; i++)
		if (is_normal(t, t->quiet[i].returns))
			err = record_ignored(t, t->quiet[i].pc);
	return err;
}
