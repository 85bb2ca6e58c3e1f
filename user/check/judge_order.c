// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include <stdlib.h>
#include <string.h>

#include "check/advice.h"
#include "check/graph.h"
#include "check/judge.h"
#include "check/judge_order.h"
#include "check/locktext.h"
#include "check/order.h"

#define UP   (ORDER_ADDRESS | ORDER_KEY | ORDER_SIGNED)
#define SIGN (ORDER_SIGNED | ORDER_SIGNED_DOWN)

static bool same_sort(const struct check_set *set, const struct lock *a, const struct lock *b)
{
	return a->kind == LOCK_MAP && b->kind == LOCK_MAP && a->off == b->off &&
	       check_same_map(&set->maps[a->map], &set->maps[b->map]);
}

static bool keys_known(const struct edge *e)
{
	return *e->from.lock.key && *e->to.lock.key;
}

/*
 * Does the edge have an order, by its known keys or by comparisons? An edge without one is reported
 * on its own.
 */
static bool has_order(const struct check_set *set, const struct edge *e)
{
	return same_sort(set, &e->from.lock, &e->to.lock) &&
	       (keys_known(e) ? strcmp(e->from.lock.key, e->to.lock.key) != 0 : e->order != 0);
}

/* Is a third lock held on both edges? Then they exclude each other. */
static bool edges_gated(const struct check_set *set, const struct edge *a, const struct edge *b)
{
	bool certain;

	for (unsigned int i = 0; i < a->nr_gates; i++)
		for (unsigned int j = 0; j < b->nr_gates; j++)
			if (locks_meet(set, &a->gates[i], &b->gates[j], &certain) && certain)
				return true;
	return false;
}

static bool edges_conflict(const struct check_set *set, const struct edge *a, const struct edge *b)
{
	return !(a->order & b->order) && !(keys_known(a) && keys_known(b)) && has_order(set, a) &&
	       has_order(set, b) && same_sort(set, &a->from.lock, &b->from.lock) &&
	       !edges_gated(set, a, b) && edges_agree(a, b);
}

static unsigned int order_turned(unsigned int order)
{
	return (order & UP) << 3 | (order & ~UP) >> 3;
}

/*
 * Is the conflict uncertain? Signed and unsigned order agree for small keys, and a fixed key may be
 * equal to none of the others.
 */
static bool is_open(const struct edge *a, const struct edge *b)
{
	if (keys_known(a) || keys_known(b))
		return true;
	return !(a->order & order_turned(b->order)) && (a->order & SIGN || b->order & SIGN);
}

static const char *order_text(const struct edge *e)
{
	return order_name(e->order) ?: "another order";
}

static void order_tell(const struct check_set *set, const struct edge *a, const struct edge *b,
		       struct findings *f)
{
	const struct check_prog *p = &set->progs[b->to.prog];
	bool open = is_open(a, b);
	char lock[LOCKTEXT_ROOM];
	struct finding *one;

	locktext_format(set, &b->to.lock, lock, sizeof(lock));
	one = finding_add(f, open ? FINDING_NOTE : FINDING_WARNING, open ? "undecided" : "cycle", p,
			  b->to.pc,
			  "%s takes %s and one more of the same map by %s, but %s by %s: two "
			  "orders, %s",
			  p->name, lock, order_text(b), set->progs[a->to.prog].name, order_text(a),
			  open ? "that may be a deadlock" : "possible deadlock");
	judge_edge(set, f, one, a);
	judge_edge(set, f, one, b);
	if (one)
		one->fix = advice_of_kind(one->kind);
}

/*
 * Is a conflict of this sort of lock reported already? All others follow from the same two orders.
 */
static bool conflict_is_told(const struct check_set *set, const struct record *r, size_t nr,
			     const bool *conflicts)
{
	for (size_t i = 0; i < nr; i++)
		if (conflicts[i] && same_sort(set, &r->edges[i].from.lock, &r->edges[nr].from.lock))
			return true;
	return false;
}

void judge_orders(const struct check_set *set, const struct record *record, struct findings *f)
{
	bool *conflicts = calloc(record->nr_edges + 1, sizeof(*conflicts));

	f->nomem |= !conflicts;
	for (size_t i = 0; conflicts && i < record->nr_edges; i++)
		for (size_t j = 0; j < i && !conflicts[i]; j++) {
			if (!edges_conflict(set, &record->edges[j], &record->edges[i]) ||
			    conflict_is_told(set, record, i, conflicts))
				continue;
			conflicts[i] = true;
			order_tell(set, &record->edges[j], &record->edges[i], f);
		}
	free(conflicts);
}
