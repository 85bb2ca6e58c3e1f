// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "check/advice.h"
#include "check/judge_maps.h"
#include "check/locktext.h"
#include "check/mapcycle.h"
#include "check/mapops.h"
#include "check/where.h"
#include "errors/table.h"

#define OUTERS_MAX  8 /* programs below that are named */
#define ERRORS_ROOM 160

struct judge {
	const struct check_set *set;
	const struct maplocks *kernel;
	const struct mapnests *nests;
	struct findings *f;
};

/* All cases of one program on top of operations on one map. */
struct group {
	const struct mapnest *worst;
	enum fate fate;
	bool program; /* a program may be below; else only user space */
	json_t *errors;
};

static const struct check_prog *prog_of(const struct judge *j, const struct use *use)
{
	return &j->set->progs[use->at.prog];
}

/* "ringbuf map events" */
static void map_text(const struct judge *j, __u32 map, char *buf, size_t size)
{
	const struct check_map *m = &j->set->maps[map];

	if (j->set->loaded)
		snprintf(buf, size, "%s map %s(map %u)", mapop_type(m), m->name, m->id);
	else
		snprintf(buf, size, "%s map %s", mapop_type(m), m->name);
}

/* "in an NMI", "at contention_end" */
static void hook_text(const struct judge *j, const struct mapnest *n, char *buf, size_t size)
{
	if (n->nmi)
		snprintf(buf, size, "in an NMI");
	else
		snprintf(buf, size, "at %s", where_hook(prog_of(j, n->inner)));
}

/* "-EDEADLK, -ETIMEDOUT or NULL" */
static void errors_text(const json_t *errors, char *buf, size_t size)
{
	size_t nr = json_array_size(errors), used = 0;

	*buf = 0;
	for (size_t i = 0; i < nr && used < size; i++) {
		const char *error = json_string_value(json_array_get(errors, i));

		used += snprintf(buf + used, size - used, "%s%s%s",
				 !i	     ? "" :
				 i + 1 == nr ? " or " :
					       ", ",
				 *error == 'E' ? "-" : "", error);
	}
}

static void errors_add(json_t *errors, const char *text)
{
	json_t *more = map_error_errors(text), *word;
	size_t i;

	json_array_foreach(more, i, word) {
		size_t k = 0;

		while (k < json_array_size(errors) && !json_equal(json_array_get(errors, k), word))
			k++;
		if (k == json_array_size(errors))
			json_array_append(errors, word);
	}
	json_decref(more);
}

static bool same_group(const struct judge *j, const struct mapnest *a, const struct mapnest *b)
{
	return mapnest_is_own(j->set, b) && a->inner->at.prog == b->inner->at.prog &&
	       a->inner->at.run == b->inner->at.run &&
	       check_same_map(&j->set->maps[a->map], &j->set->maps[b->map]);
}

static bool is_first(const struct judge *j, size_t nr)
{
	for (size_t i = 0; i < nr; i++)
		if (same_group(j, &j->nests->all[nr], &j->nests->all[i]))
			return false;
	return true;
}

/* Find the worst case: among operations of programs below, else among those of user space. */
static void group_scan(const struct judge *j, const struct mapnest *first, struct group *g)
{
	for (size_t i = 0; i < j->nests->nr; i++) {
		const struct mapnest *n = &j->nests->all[i];
		enum fate fate =
			same_group(j, first, n) ? mapnest_fate(j->set, j->kernel, n) : FATE_NONE;

		if (fate == FATE_NONE ||
		    (!n->outer && (g->program || n->wants == MAPLOCK_FREELIST)))
			continue;
		if ((n->outer && !g->program) || fate > g->fate) {
			g->worst = n;
			g->fate = fate;
		}
		g->program |= !!n->outer;
	}
}

static void group_errors(const struct judge *j, struct group *g)
{
	for (size_t i = 0; i < j->nests->nr; i++) {
		const struct mapnest *n = &j->nests->all[i];

		if (!same_group(j, g->worst, n) || !n->outer == g->program ||
		    strcmp(n->inner->op, g->worst->inner->op) ||
		    mapnest_fate(j->set, j->kernel, n) != FATE_FAILS)
			continue;
		errors_add(g->errors, mapnest_returns(j->set, j->kernel, n));
	}
}

/* "the lock of a bucket or the lock of an LRU list" */
static void locks_text(const struct judge *j, const struct group *g, char *buf, size_t size)
{
	unsigned int told = 0;
	size_t used = 0;

	for (size_t i = 0; i < j->nests->nr && used < size; i++) {
		const struct mapnest *n = &j->nests->all[i];

		if (!same_group(j, g->worst, n) || !n->outer == g->program ||
		    told & 1U << n->wants || strcmp(n->inner->op, g->worst->inner->op) ||
		    mapnest_fate(j->set, j->kernel, n) != g->fate)
			continue;
		used += snprintf(buf + used, size - used, "%s%s", told ? " or " : "",
				 maplock_title(n->wants));
		told |= 1U << n->wants;
	}
}

static void tell_outers(const struct judge *j, const struct group *g, struct finding *one)
{
	const struct use *told[OUTERS_MAX];
	unsigned int nr = 0;

	for (size_t i = 0; i < j->nests->nr && nr < OUTERS_MAX; i++) {
		const struct mapnest *n = &j->nests->all[i];
		char who[LOCKTEXT_WHO];
		unsigned int k = 0;

		if (!n->outer || !same_group(j, g->worst, n) ||
		    mapnest_fate(j->set, j->kernel, n) != g->fate)
			continue;
		while (k < nr && told[k]->at.prog != n->outer->at.prog)
			k++;
		if (k < nr)
			continue;
		told[nr++] = n->outer;
		locktext_who(j->set, &n->outer->at, who, sizeof(who));
		finding_stage(j->f, one, prog_of(j, n->outer), n->outer->at.pc,
			      "%s holds it in this %s", who, n->outer->op);
	}
}

static void group_tell(const struct judge *j, const struct group *g)
{
	const struct mapnest *n = g->worst;
	bool hangs = g->fate == FATE_HANGS;
	/* What user space does is not known here. */
	const char *kind = hangs ? g->program ? "map-hang" : "undecided" : "map-fails";
	char map[LOCKTEXT_ROOM], hook[100], who[LOCKTEXT_WHO], errors[ERRORS_ROOM], locks[200];
	struct finding *one;

	map_text(j, n->map, map, sizeof(map));
	locks_text(j, g, locks, sizeof(locks));
	hook_text(j, n, hook, sizeof(hook));
	locktext_who(j->set, &n->inner->at, who, sizeof(who));
	errors_text(g->errors, errors, sizeof(errors));
	one = finding_add(j->f, hangs && g->program ? FINDING_WARNING : FINDING_NOTE, kind,
			  prog_of(j, n->inner), n->inner->at.pc,
			  "%s can run %s while an operation%s on %s holds %s: its %s then %s%s",
			  who, hook, g->program ? "" : " of user space", map, locks, n->inner->op,
			  hangs ? "hangs the CPU, as such a lock is plain here" : "returns ",
			  hangs ? "" : errors);
	tell_outers(j, g, one);
	if (one)
		one->fix = advice_of_kind(hangs ? "map-hang" : "map-fails");
}

/*
 * Not worth a report: an error at a hook in common code, with only user space below. Such a hook is
 * hardly ever reached there.
 */
static bool is_worth(const struct group *g)
{
	return g->fate != FATE_NONE && (g->program || g->fate == FATE_HANGS || g->worst->own);
}

static bool group_find(const struct judge *j, size_t nr, struct group *g)
{
	const struct mapnest *n = &j->nests->all[nr];

	if (!mapnest_is_own(j->set, n) || !is_first(j, nr))
		return false;
	group_scan(j, n, g);
	return is_worth(g);
}

static void judge_groups(const struct judge *j)
{
	for (size_t i = 0; i < j->nests->nr; i++) {
		struct group g = { .errors = json_array() };

		if (group_find(j, i, &g)) {
			group_errors(j, &g);
			group_tell(j, &g);
		}
		json_decref(g.errors);
	}
}

/* Does the program's operation on that map fail anyway, on top of another one on the same map? */
static bool fails_anyway(const struct judge *j, const struct mapnest *n)
{
	for (size_t i = 0; i < j->nests->nr; i++) {
		const struct mapnest *own = &j->nests->all[i];

		if (own->outer && mapnest_is_own(j->set, own) &&
		    own->inner->at.prog == n->inner->at.prog &&
		    check_same_map(&j->set->maps[own->map], &j->set->maps[n->inner->at.lock.map]) &&
		    mapnest_fate(j->set, j->kernel, own) == FATE_FAILS)
			return true;
	}
	return false;
}

/* Does each operation of the cycle fail without a second CPU, too? */
static bool cycle_is_known(const struct judge *j, const struct mapcycle *c)
{
	for (unsigned int i = 0; i < c->nr; i++)
		if (!fails_anyway(j, c->nests[i]))
			return false;
	return true;
}

/*
 * The errors that resilient locks in the cycle return. Without a resilient lock no wait ever ends.
 */
static json_t *cycle_errors(const struct judge *j, const struct mapcycle *c)
{
	json_t *errors = json_array();

	for (unsigned int i = 0; i < c->nr; i++)
		if (j->kernel->kinds[c->nests[i]->wants] != MAPLOCK_PLAIN)
			errors_add(errors, mapnest_returns(j->set, j->kernel, c->nests[i]));
	return errors;
}

static void tell_cycle_stages(const struct judge *j, const struct mapcycle *c, struct finding *one)
{
	for (unsigned int i = 0; i < c->nr; i++) {
		const struct mapnest *n = c->nests[i];
		char map[LOCKTEXT_ROOM], hook[100], who[LOCKTEXT_WHO];

		map_text(j, n->map, map, sizeof(map));
		locktext_who(j->set, &n->outer->at, who, sizeof(who));
		finding_stage(j->f, one, prog_of(j, n->outer), n->outer->at.pc,
			      "%s holds %s of %s in this %s", who, maplock_title(n->lock), map,
			      n->outer->op);
		map_text(j, n->inner->at.lock.map, map, sizeof(map));
		hook_text(j, n, hook, sizeof(hook));
		locktext_who(j->set, &n->inner->at, who, sizeof(who));
		finding_stage(j->f, one, prog_of(j, n->inner), n->inner->at.pc,
			      "and on top of it, %s, %s wants %s of %s in this %s", hook, who,
			      maplock_title(n->wants), map, n->inner->op);
	}
}

static void tell_cycle(const struct judge *j, const struct mapcycle *c, const json_t *errors)
{
	const struct mapnest *n = c->nests[0];
	bool hangs = !json_array_size(errors);
	char from[LOCKTEXT_ROOM], to[LOCKTEXT_ROOM], words[ERRORS_ROOM];
	struct finding *one;

	errors_text(errors, words, sizeof(words));
	map_text(j, n->map, from, sizeof(from));
	map_text(j, n->inner->at.lock.map, to, sizeof(to));
	one = finding_add(j->f, hangs ? FINDING_WARNING : FINDING_NOTE,
			  hangs ? "map-hang" : "map-fails", prog_of(j, n->inner), n->inner->at.pc,
			  "%s wants a lock of %s on top of an operation on %s, and elsewhere it is "
			  "the other way round: possible deadlock of %u CPUs, %s%s",
			  prog_of(j, n->inner)->name, to, from, c->nr,
			  hangs ? "which hang, as such locks are plain here" : "one of which gets ",
			  hangs ? "" : words);
	tell_cycle_stages(j, c, one);
	if (one)
		one->fix = advice_of_kind("map-order");
}

/*
 * Programs of different files are together only by chance: across files, only hangs are reported.
 */
static int judge_cycles_of(const struct judge *j, const char *object, struct mapcycles *cycles)
{
	size_t nr = cycles->nr;
	int err = mapcycle_find(j->set, j->kernel, j->nests, object, cycles);

	for (size_t i = nr; !err && i < cycles->nr; i++) {
		const struct mapcycle *c = &cycles->all[i];
		json_t *errors = cycle_errors(j, c);

		if (!json_array_size(errors) || (object && !cycle_is_known(j, c)))
			tell_cycle(j, c, errors);
		json_decref(errors);
	}
	return err;
}

static int judge_cycles_of_maps(const struct judge *j)
{
	const char *object = NULL;
	struct mapcycles cycles = { 0 };
	int err = 0;

	for (size_t i = 0; !err && i < j->set->nr_progs; i++) {
		const char *own = j->set->progs[i].object;

		/* Programs of one file follow each other. */
		if (!own || (object && !strcmp(own, object)))
			continue;
		object = own;
		err = judge_cycles_of(j, object, &cycles);
	}
	err = err ?: judge_cycles_of(j, NULL, &cycles);
	if (cycles.spent)
		finding_add(j->f, FINDING_NOTE, "incomplete", NULL, 0,
			    "circles of operations on maps were not all looked for: there are too "
			    "many ways round");
	mapcycle_free(&cycles);
	return err;
}

/*
 * Report a lock of unknown kind only if a program on top wants it: for all others the kind makes no
 * difference.
 */
static void tell_unknown(const struct judge *j)
{
	for (size_t i = 0; i < j->nests->nr; i++) {
		const struct mapnest *n = &j->nests->all[i];
		struct finding *one;

		if (j->kernel->kinds[n->wants] != MAPLOCK_UNKNOWN)
			continue;
		one = finding_add(j->f, FINDING_NOTE, "incomplete", NULL, 0,
				  "it is not known whether %s is plain or resilient on this "
				  "kernel: what programs on top of map operations do is not judged",
				  maplock_title(n->wants));
		if (one)
			one->fix = "name the kernel's BTF, or its vmlinux, with --btf";
		return;
	}
}

int judge_maps(const struct check_set *set, const struct maplocks *kernel,
	       const struct mapnests *nests, struct findings *f)
{
	struct judge j = { set, kernel, nests, f };

	tell_unknown(&j);
	judge_groups(&j);
	return judge_cycles_of_maps(&j);
}
