// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "check/advice.h"
#include "check/graph.h"
#include "check/judge.h"
#include "check/locktext.h"

#define WHO_ROOM 300 /* names of two functions; longer ones are cut */

static const struct check_prog *prog_of(const struct check_set *set, const struct site *site)
{
	return &set->progs[site->prog];
}

/* "starts", or "starts (in later)" for another function, perhaps one that the kernel calls. */
static const char *site_who(const struct check_set *set, const struct site *site,
			    char buf[WHO_ROOM])
{
	const struct check_prog *p = prog_of(set, site);
	const char *function = check_function(p, site->pc);

	if (function && strcmp(function, p->name))
		snprintf(buf, WHO_ROOM, "%s (in %s)", p->name, function);
	else
		snprintf(buf, WHO_ROOM, "%s", p->name);
	return buf;
}

/*
 * Are all locks of one map? If their keys are not known, they may be taken in an order that only
 * the program's author knows.
 */
static bool within_one_map(const struct check_set *set, const struct cycle *c)
{
	for (unsigned int i = 1; i < c->nr; i++)
		if (!check_same_map(&set->maps[c->edges[0]->from.lock.map],
				    &set->maps[c->edges[i]->from.lock.map]) ||
		    c->edges[0]->from.lock.off != c->edges[i]->from.lock.off)
			return false;
	return true;
}

void judge_edge(const struct check_set *set, struct findings *f, struct finding *one,
		const struct edge *e)
{
	char from[LOCKTEXT_ROOM], to[LOCKTEXT_ROOM], name[WHO_ROOM];

	locktext_format(set, &e->from.lock, from, sizeof(from));
	locktext_format(set, &e->to.lock, to, sizeof(to));
	finding_stage(f, one, prog_of(set, &e->from), e->from.pc, "%s takes %s here",
		      site_who(set, &e->from, name), from);
	finding_stage(f, one, prog_of(set, &e->to), e->to.pc, "and then, still holding it, %s here",
		      to);
}

static void judge_cycle(const struct check_set *set, const struct cycle *c, struct findings *f)
{
	bool open = c->keys && within_one_map(set, c);
	const struct edge *e = c->edges[0];
	char from[LOCKTEXT_ROOM], to[LOCKTEXT_ROOM];
	struct finding *one;

	locktext_format(set, &e->from.lock, from, sizeof(from));
	locktext_format(set, &e->to.lock, to, sizeof(to));
	one = finding_add(f, open ? FINDING_NOTE : FINDING_WARNING, open ? "undecided" : "cycle",
			  prog_of(set, &e->to), e->to.pc,
			  "%s takes %s while it holds %s: %s%u locks in a circle%s",
			  prog_of(set, &e->to)->name, to, from,
			  open ? "that may be a deadlock of " : "possible deadlock, ", c->nr,
			  !c->keys ? "" :
			  open	   ? ", if keys that are not known here are equal" :
				     " (where keys that are not known here are equal)");
	for (unsigned int i = 0; i < c->nr; i++)
		judge_edge(set, f, one, c->edges[i]);
	if (one)
		one->fix = advice_of_kind(one->kind);
}

/* An element is taken, then the next one of a ring, as by the dining philosophers. */
static void judge_ring(const struct check_set *set, const struct edge *e, struct findings *f)
{
	char lock[LOCKTEXT_ROOM];
	struct finding *one;

	locktext_format(set, &e->to.lock, lock, sizeof(lock));
	one = finding_add(f, FINDING_WARNING, "cycle", prog_of(set, &e->to), e->to.pc,
			  "%s takes %s, the next one in a ring, while it holds the one before: "
			  "possible deadlock of all that do so",
			  prog_of(set, &e->to)->name, lock);
	judge_edge(set, f, one, e);
	if (one)
		one->fix = advice_of_kind("cycle");
}

void judge_cycles(const struct check_set *set, const struct cycles *cycles, struct findings *f)
{
	for (size_t i = 0; i < cycles->nr; i++)
		judge_cycle(set, &cycles->all[i], f);
	if (cycles->more)
		finding_add(f, FINDING_NOTE, "incomplete", NULL, 0,
			    "there are more than %d cycles: the shortest are told", CYCLES_MAX);
	else if (cycles->length)
		finding_add(f, FINDING_NOTE, "incomplete", NULL, 0,
			    "cycles of %u and more locks were not all looked for: there are too "
			    "many ways round",
			    cycles->length);
}

/*
 * Different calls were followed as one there: conditions that hold for only one of them are lost.
 */
static void judge_loose(const struct check_set *set, const struct act *a, struct findings *f)
{
	const struct check_prog *p = prog_of(set, &a->second);
	char lock[LOCKTEXT_ROOM];
	struct finding *one;

	locktext_format(set, &a->second.lock, lock, sizeof(lock));
	one = finding_add(f, FINDING_NOTE, "undecided", p, a->second.pc,
			  "%s takes %s, which it may %s: not decided, a function that many calls "
			  "enter was followed once for all of them",
			  p->name, lock,
			  a->kind == ACT_AA ? "hold already" : "have failed to take just before");
	if (a->first.pc != a->second.pc)
		finding_stage(f, one, p, a->first.pc, "the first time is here");
	if (one)
		one->fix = advice_of_kind("undecided");
}

static void judge_act(const struct check_set *set, const struct act *a, struct findings *f)
{
	const struct check_prog *p = prog_of(set, &a->second);
	char lock[LOCKTEXT_ROOM];
	struct finding *one;

	locktext_format(set, &a->second.lock, lock, sizeof(lock));
	if (a->kind == ACT_AA) {
		one = finding_add(f, FINDING_WARNING, "aa", p, a->second.pc,
				  "%s takes %s, which it holds already: it fails each time",
				  p->name, lock);
		finding_stage(f, one, p, a->first.pc, "it was taken here");
	} else if (a->kind == ACT_RETRY) {
		one = finding_add(f, FINDING_WARNING, "retry", p, a->second.pc,
				  "%s tries %s again at once after a failure", p->name, lock);
		if (a->first.pc != a->second.pc)
			finding_stage(f, one, p, a->first.pc, "it failed here");
	} else {
		one = finding_add(f, FINDING_NOTE, "ignored", p, a->first.pc,
				  "%s does not tell anybody that it could not take %s", p->name,
				  lock);
	}
	if (one)
		one->fix = advice_of_kind(one->kind);
}

void judge_acts(const struct check_set *set, const struct record *record, struct findings *f)
{
	for (size_t i = 0; i < record->nr_acts; i++) {
		const struct act *a = &record->acts[i];

		if (a->loose && a->kind != ACT_IGNORED)
			judge_loose(set, a, f);
		else
			judge_act(set, a, f);
	}
}

static char *text_or_null(const char *s)
{
	return *s ? strdup(s) : NULL;
}

/* "file.bpf.c:53" */
static void set_place(struct place *at, const char *text)
{
	const char *colon = strrchr(text, ':');

	if (!colon)
		return;
	at->file = strndup(text, colon - text);
	at->line = strtoul(colon + 1, NULL, 10);
}

static void add_place(struct finding *one, const char *at, const char *prog)
{
	struct place *place = &one->stages[one->nr_stages - 1].at;

	set_place(place, at);
	place->prog = strdup(prog);
}

static void add_said(struct findings *f, struct finding *one, const struct refused *r,
		     const char *at, const char *before, const char *said)
{
	size_t nr = one->nr_stages;

	if (!*said)
		return;
	finding_stage(f, one, NULL, 0, "%s%s", before, said);
	if (one->nr_stages > nr)
		add_place(one, at, r->prog);
}

/* Add what the verifier of Linux 7.3 and later reports beyond the message. */
static void add_report(struct findings *f, struct finding *one, const struct refused *r)
{
	const struct refusal *why = &r->why;

	add_said(f, one, r, why->at, "", why->cause);
	if (*why->lock_at)
		add_said(f, one, r, why->lock_at, "", "the lock that is held was taken here");
	for (unsigned int i = 0; i < why->nr_steps; i++)
		add_said(f, one, r, why->steps[i].at, "", why->steps[i].what);
	if (why->more_steps)
		finding_stage(f, one, NULL, 0, "and %u steps more", why->more_steps);
	if (one->fix)
		add_said(f, one, r, why->at, "the kernel suggests: ", why->suggestion);
	else if (*why->suggestion)
		one->fix = why->suggestion;
}

static struct finding *add_refusal(const struct refused *r, struct findings *f)
{
	bool optional = r->section[0] == '?';

	if (r->lacks)
		return finding_add(f, FINDING_NOTE, "not-loaded", NULL, 0,
				   "%s needs what this kernel lacks (%s), so it was not looked at",
				   r->prog, r->lacks);
	if (r->verifier)
		return finding_add(f, optional ? FINDING_NOTE : FINDING_ERROR, "refused", NULL, 0,
				   "the verifier refuses %s: %s", r->prog, r->why.reason);
	return finding_add(f, FINDING_NOTE, "not-loaded", NULL, 0,
			   "%s cannot be loaded here (%s), so it was not looked at", r->prog,
			   r->said	   ? r->said :
			   r->err == ESRCH ? "this kernel does not have what it attaches to" :
					     strerror(r->err));
}

static void judge_refusal(const struct refused *r, struct findings *f)
{
	struct finding *one = add_refusal(r, f);
	bool refused = r->verifier && !r->lacks;

	if (!one)
		return;
	one->at.prog = strdup(r->prog);
	one->at.object = strdup(r->object);
	one->at.text = text_or_null(r->why.text);
	set_place(&one->at, r->why.at);
	one->fix = r->fix ?: refused ? advice_refusal(r->why.reason) : advice_of_kind(one->kind);
	if (refused)
		add_report(f, one, r);
}

void judge_refusals(const struct refusals *refusals, struct findings *f)
{
	for (size_t i = 0; i < refusals->nr; i++)
		judge_refusal(&refusals->all[i], f);
}

static void tell_size(const char *object, const struct check_map *m, struct findings *f,
		      struct finding *one)
{
	size_t nr = one->nr_stages;

	if (!m->sized || strcmp(m->sized, object))
		return;
	finding_stage(f, one, NULL, 0, "map %s: %u elements of %u bytes", m->name, m->max_entries,
		      m->value_size);
	if (one->nr_stages > nr)
		one->stages[nr].at.object = strdup(object);
}

/* The programs are loaded to be read, not to be used: any size will do. */
void judge_sizes(const struct check_set *set, struct findings *f)
{
	for (size_t i = 0; i < set->nr_maps; i++) {
		const struct check_map *m = &set->maps[i];
		struct finding *one;

		if (!m->sized || (i && m[-1].sized && !strcmp(m[-1].sized, m->sized)))
			continue;
		one = finding_add(
			f, FINDING_NOTE, "incomplete", NULL, 0,
			"the object leaves the size of maps to the command that loads it, or has very "
			"large ones: "
			"its programs were loaded with small ones");
		if (one)
			one->at.object = strdup(m->sized);
		for (size_t j = i; one && j < set->nr_maps; j++)
			tell_size(m->sized, &set->maps[j], f, one);
	}
}

void judge_assumed(const struct check_set *set, struct findings *f)
{
	for (size_t i = 0; i < set->nr_assumed; i++) {
		const struct check_assumed *a = &set->assumed[i];
		struct finding *one = finding_add(f, FINDING_NOTE, a->kind, NULL, 0, "%s", a->text);

		if (!one)
			return;
		one->at.object = strdup(a->object);
		one->at.prog = a->prog ? strdup(a->prog) : NULL;
		one->fix = a->fix;
	}
}

static const char *why_unknown(const struct check_set *set, const struct edge *e)
{
	bool certain;

	if (e->from.lock.kind == LOCK_UNKNOWN || e->to.lock.kind == LOCK_UNKNOWN)
		return "which lock is behind a pointer out of memory is not known";
	if (e->from.lock.kind == LOCK_ARENA || e->to.lock.kind == LOCK_ARENA)
		return "which lock in the arena it is, is known only when it runs";
	if (e->from.lock.kind == LOCK_OBJECT || e->to.lock.kind == LOCK_OBJECT)
		return "which object it is, is known only when it runs";
	if (locks_meet(set, &e->from.lock, &e->to.lock, &certain) && !certain && !e->order)
		return "their keys are known only when it runs";
	if (locks_meet(set, &e->from.lock, &e->to.lock, &certain) && !certain && !e->differ)
		return "they are taken in order, but nothing tells that they are not one lock";
	return NULL;
}

static bool same_places(const struct edge *a, const struct edge *b)
{
	return a->from.prog == b->from.prog && a->from.pc == b->from.pc && a->to.pc == b->to.pc;
}

/*
 * Does the edge lead from each element to the next, and from the last to the first, by a modulo or
 * a branch?
 */
static bool is_ring(const struct record *r, const struct edge *e)
{
	bool step = false, ring = false, back = false;

	for (size_t i = 0; i < r->nr_edges; i++) {
		const struct edge *other = &r->edges[i];

		if (!same_places(other, e))
			continue;
		ring |= other->ring;
		step |= other->step;
		back |= !*other->from.lock.key && *other->to.lock.key;
	}
	return ring || (step && back);
}

/* Is an earlier edge at the same places reported already? */
static bool unknown_is_told(const struct check_set *set, const struct record *r, size_t nr)
{
	for (size_t i = 0; i < nr; i++)
		if (why_unknown(set, &r->edges[i]) && same_places(&r->edges[i], &r->edges[nr]))
			return true;
	return false;
}

/* Is the edge reported as an AA? That finding is more precise. */
static bool is_own(const struct record *r, const struct edge *e)
{
	for (size_t i = 0; i < r->nr_acts; i++)
		if (r->acts[i].kind == ACT_AA && r->acts[i].second.prog == e->to.prog &&
		    r->acts[i].second.pc == e->to.pc)
			return true;
	return false;
}

void judge_unknown(const struct check_set *set, const struct record *record, struct findings *f)
{
	for (size_t i = 0; i < record->nr_edges; i++) {
		const struct edge *e = &record->edges[i];
		const char *why = why_unknown(set, e);
		char from[LOCKTEXT_ROOM], to[LOCKTEXT_ROOM];
		struct finding *one;

		if (!why || unknown_is_told(set, record, i) || is_own(record, e))
			continue;
		if (is_ring(record, e)) {
			judge_ring(set, e, f);
			continue;
		}
		locktext_format(set, &e->from.lock, from, sizeof(from));
		locktext_format(set, &e->to.lock, to, sizeof(to));
		one = finding_add(f, FINDING_NOTE, "undecided", prog_of(set, &e->to), e->to.pc,
				  "%s takes %s while it holds %s: not decided, %s",
				  prog_of(set, &e->to)->name, to, from, why);
		finding_stage(f, one, prog_of(set, &e->from), e->from.pc,
			      "the first is taken here");
		if (one)
			one->fix = advice_of_kind("undecided");
	}
}
