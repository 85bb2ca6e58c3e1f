// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <bpf/btf.h>

#include "base/grow.h"
#include "check/advice.h"
#include "check/context.h"
#include "check/graph.h"
#include "check/locktext.h"
#include "check/where.h"

/* A reported pair: the place that is interrupted, and the place that interrupts it. */
struct pair {
	const struct site *outer, *inner;
};

struct judge {
	const struct check_set *set;
	struct findings *f;
	struct pair *told;
	size_t nr_told;
};

enum answer { NO, PERHAPS, SURELY };

static enum answer site_interrupts(const struct check_set *set, const struct site *inner,
				   const struct site *outer)
{
	struct where in = where_of(set, inner), out = where_of(set, outer);
	bool irqs_off = outer->irqs_off || out.irqs_off;

	if (where_excluded(&in, &out, inner, outer) || (irqs_off && in.min != LEVEL_NMI))
		return NO;
	if (in.min > out.max)
		return SURELY;
	return in.max > out.min ? PERHAPS : NO;
}

static const char *type_name(const struct check_set *set, const struct lock *lock)
{
	const struct check_prog *p = &set->progs[lock->prog];
	const struct btf_type *t =
		p->btf && lock->type ? btf__type_by_id(p->btf, lock->type) : NULL;

	return t ? btf__name_by_offset(p->btf, t->name_off) : NULL;
}

/* The number of the arena that the lock is in; -1: in one that is not known, -2: in none. */
static int lock_arena(const struct check_set *set, const struct lock *lock)
{
	if (lock->kind == LOCK_ARENA)
		return set->progs[lock->prog].arena;
	return lock->kind == LOCK_MAP && set->maps[lock->map].type == ARENA_MAP_TYPE ?
		       (int)lock->map :
		       -2;
}

/* At least one of the two locks is behind a pointer. */
static enum answer arenas_meet(const struct check_set *set, const struct lock *a,
			       const struct lock *b)
{
	int x = lock_arena(set, a), y = lock_arena(set, b);

	if (x == -1 || y == -1)
		return x == -2 || y == -2 ? NO : PERHAPS;
	return x >= 0 && y >= 0 && check_same_map(&set->maps[x], &set->maps[y]) ? PERHAPS : NO;
}

/* A pointer read from memory may lead to any lock, and an object may be any one of its type. */
static enum answer context_meet(const struct check_set *set, const struct lock *a,
				const struct lock *b)
{
	bool certain;

	if (a->kind == LOCK_UNKNOWN || b->kind == LOCK_UNKNOWN)
		return PERHAPS;
	if (a->kind == LOCK_ARENA || b->kind == LOCK_ARENA)
		return arenas_meet(set, a, b);
	if (a->kind == LOCK_OBJECT && b->kind == LOCK_OBJECT) {
		const char *x = type_name(set, a), *y = type_name(set, b);

		return !x || !y || !strcmp(x, y) ? PERHAPS : NO;
	}
	if (!locks_meet(set, a, b, &certain))
		return NO;
	return certain ? SURELY : PERHAPS;
}

/*
 * Is the pair reported already? Paths to the same two places count once (@by_place), and so do
 * places of the same two programs and the same lock.
 */
static bool is_told(const struct judge *j, const struct site *outer, const struct site *inner,
		    bool by_place)
{
	for (size_t i = 0; i < j->nr_told; i++) {
		const struct site *a = j->told[i].outer, *b = j->told[i].inner;

		if (a->prog != outer->prog || b->prog != inner->prog || a->run != outer->run ||
		    b->run != inner->run)
			continue;
		if (by_place ? a->pc == outer->pc && b->pc == inner->pc :
			       context_meet(j->set, &a->lock, &outer->lock) != NO)
			return true;
	}
	return false;
}

static struct finding *tell_surely(const struct judge *j, const struct site *outer,
				   const char *holder, const char *lock, const char *by,
				   const struct where *in, bool same)
{
	return finding_add(j->f, same ? FINDING_WARNING : FINDING_NOTE,
			   same ? "interrupt" : "undecided", &j->set->progs[outer->prog], outer->pc,
			   "%s can be interrupted while it holds %s by %s, in %s, which takes %s "
			   "lock%s",
			   holder, lock, by, where_text(in->min), same ? "the same" : "such a",
			   same ? "" : "; whether it is the same is known only when it runs");
}

static struct finding *tell_perhaps(const struct judge *j, const struct site *outer,
				    const char *holder, const char *lock, const char *by,
				    const struct where *in, bool same)
{
	const struct check_prog *p = &j->set->progs[outer->prog];

	if (!strcmp(holder, by))
		return finding_add(j->f, FINDING_NOTE, "undecided", p, outer->pc,
				   "%s holds %s with interrupts on, and takes %s lock: if it runs "
				   "in a task and in %s, it can interrupt itself",
				   holder, lock, same ? "the same" : "such a", where_text(in->max));
	return finding_add(j->f, FINDING_NOTE, "undecided", p, outer->pc,
			   "%s holds %s with interrupts on, and %s takes %s lock: if one runs in "
			   "a task and the other in %s, it can interrupt it",
			   holder, lock, by, same ? "the same" : "such a", where_text(in->max));
}

/* What becomes of an acquisition on top of the lock's own holder. */
static const char *inner_result(const struct check_set *set, const struct site *inner)
{
	if (inner->plain)
		return ", and waits for ever";
	return lock_arena(set, &inner->lock) == -2 ? ", and gets -EDEADLK" :
						     ", and gives up, mostly with -ETIMEDOUT";
}

static int context_tell(struct judge *j, const struct site *outer, const struct site *inner,
			bool sure, bool same)
{
	struct pair pair = { outer, inner };
	struct where in = where_of(j->set, inner);
	char lock[LOCKTEXT_ROOM], holder[LOCKTEXT_WHO], by[LOCKTEXT_WHO];
	struct finding *one;

	locktext_format(j->set, &outer->lock, lock, sizeof(lock));
	locktext_who(j->set, outer, holder, sizeof(holder));
	locktext_who(j->set, inner, by, sizeof(by));
	one = sure ? tell_surely(j, outer, holder, lock, by, &in, same) :
		     tell_perhaps(j, outer, holder, lock, by, &in, same);
	finding_stage(j->f, one, &j->set->progs[inner->prog], inner->pc, "%s takes it here%s", by,
		      sure && same ? inner_result(j->set, inner) : "");
	if (one)
		one->fix = advice_of_kind(in.min == LEVEL_NMI ? "nmi" : "interrupt");
	return grow_append((void **)&j->told, &j->nr_told, &pair, sizeof(pair));
}

/* Certain pairs come first: a less certain one of the same programs adds nothing. */
static int judge_pairs(struct judge *j, const struct record *record, enum answer wanted)
{
	int err = 0;

	for (size_t i = 0; !err && i < record->nr_sites; i++)
		for (size_t k = 0; !err && k < record->nr_sites; k++) {
			const struct site *outer = &record->sites[i], *inner = &record->sites[k];
			enum answer when = site_interrupts(j->set, inner, outer), same;

			if (when == NO)
				continue;
			same = context_meet(j->set, &outer->lock, &inner->lock);
			if (same == NO || (when == SURELY && same == SURELY) != (wanted == SURELY))
				continue;
			if (!is_told(j, outer, inner, wanted == SURELY))
				err = context_tell(j, outer, inner, when == SURELY, same == SURELY);
		}
	return err;
}

void context_judge(const struct check_set *set, const struct record *record, struct findings *f)
{
	struct judge j = { .set = set, .f = f };

	if (judge_pairs(&j, record, SURELY) || judge_pairs(&j, record, PERHAPS))
		f->nomem = true;
	free(j.told);
}
