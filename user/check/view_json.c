// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include <bpf/libbpf.h>

#include "base/json_out.h"
#include "check/locktext.h"
#include "check/mapops.h"
#include "check/order.h"
#include "check/view_json.h"
#include "check/view_text.h"
#include "check/where.h"

static json_t *place_json(const struct place *at)
{
	return json_pack("{s:o, s:o, s:o, s:o, s:o}", "file", json_text(at->file), "line",
			 at->file ? json_integer(at->line) : json_null(), "text",
			 json_text(at->text), "program", json_text(at->prog), "object",
			 json_text(at->object));
}

static json_t *stages_json(const struct finding *f)
{
	json_t *list = json_array();

	for (size_t i = 0; i < f->nr_stages; i++) {
		json_t *one = place_json(&f->stages[i].at);

		json_object_set_new(one, "message", json_text(f->stages[i].message));
		json_array_append_new(list, one);
	}
	return list;
}

static json_t *findings_json(const struct findings *f)
{
	json_t *list = json_array();

	for (size_t i = 0; i < f->nr; i++) {
		const struct finding *one = &f->all[i];
		json_t *j = place_json(&one->at);

		json_object_set_new(j, "kind", json_string(one->kind));
		json_object_set_new(j, "severity", json_string(severity_name(one->severity)));
		json_object_set_new(j, "message", json_text(one->message));
		json_object_set_new(j, "id", json_string(one->id));
		json_object_set_new(j, "known", json_boolean(one->known));
		json_object_set_new(j, "fix", json_text(one->fix));
		json_object_set_new(j, "stages", stages_json(one));
		json_array_append_new(list, j);
	}
	return list;
}

/* What may have been missed. */
static json_t *missed_json(const struct bounds *b)
{
	json_t *list = json_array();

	if (b->stopped)
		json_array_append_new(list, json_pack("{s:s, s:s, s:b}", "what", "paths", "why",
						      b->stopped, "budget", b->spent));
	if (b->held)
		json_array_append_new(list, json_pack("{s:s, s:I}", "what", "held", "count",
						      (json_int_t)b->held));
	if (b->maps)
		json_array_append_new(list, json_pack("{s:s, s:I}", "what", "maps", "count",
						      (json_int_t)b->maps));
	if (*b->callback)
		json_array_append_new(
			list, json_pack("{s:s, s:s}", "what", "callback", "why", b->callback));
	if (b->arena_locks || b->arena_atomics)
		json_array_append_new(list,
				      json_pack("{s:s, s:I}", "what", "arena", "count",
						(json_int_t)(b->arena_locks ?: b->arena_atomics)));
	if (b->arena_kept)
		json_array_append_new(list, json_pack("{s:s, s:I}", "what", "arena_kept", "count",
						      (json_int_t)b->arena_kept));
	return list;
}

/* What may make a finding a false one, or an undecided one. */
static json_t *rough_json(const struct bounds *b)
{
	return json_pack("{s:I, s:I, s:I}", "conditions", (json_int_t)b->conditions, "joined",
			 (json_int_t)b->joined, "expressions", (json_int_t)b->deep);
}

static json_t *programs_json(const struct check_result *r)
{
	const struct check_set *set = &r->set;
	json_t *list = json_array();

	for (size_t i = 0; i < set->nr_progs; i++) {
		const struct check_prog *p = &set->progs[i];

		json_array_append_new(
			list, json_pack("{s:o, s:o, s:o, s:s?, s:i, s:o, s:o, s:o}", "name",
					json_text(p->name), "object", json_text(p->object), "id",
					p->object ? json_null() : json_integer(p->id), "type",
					libbpf_bpf_prog_type_str(p->type), "instructions",
					(int)p->nr_insns, "unreadable", json_text(p->unreadable),
					"incomplete", missed_json(&r->bounds[i]), "approximated",
					rough_json(&r->bounds[i])));
	}
	return list;
}

static json_t *lock_json(const struct check_set *set, const struct lock *lock)
{
	char name[LOCKTEXT_ROOM];

	locktext_format(set, lock, name, sizeof(name));
	return json_text(name);
}

static json_t *site_json(const struct check_set *set, const struct site *site)
{
	struct check_line line;

	check_line(&set->progs[site->prog], site->pc, &line);
	return json_pack(
		"{s:o, s:o, s:o, s:o, s:b}", "lock", lock_json(set, &site->lock), "program",
		json_text(set->progs[site->prog].name), "file", json_text(line.file), "line",
		line.file ? json_integer(line.line) : json_null(), "irqs_off", site->irqs_off);
}

static json_t *sites_json(const struct check_result *r)
{
	json_t *list = json_array();

	for (size_t i = 0; i < r->record.nr_sites; i++)
		json_array_append_new(list, site_json(&r->set, &r->record.sites[i]));
	return list;
}

static json_t *order_json(const struct edge *e)
{
	return e->order ? json_string(order_name(e->order)) : json_null();
}

static json_t *edges_json(const struct check_result *r)
{
	json_t *list = json_array();

	for (size_t i = 0; i < r->record.nr_edges; i++) {
		const struct edge *e = &r->record.edges[i];
		json_t *gates = json_array();

		for (unsigned int g = 0; g < e->nr_gates; g++)
			json_array_append_new(gates, lock_json(&r->set, &e->gates[g]));
		json_array_append_new(list, json_pack("{s:o, s:o, s:o, s:o}", "from",
						      site_json(&r->set, &e->from), "to",
						      site_json(&r->set, &e->to), "ordered_by",
						      order_json(e), "also_held", gates));
	}
	return list;
}

static json_t *locks_json(const struct check_result *r, const struct use *use)
{
	unsigned int locks = mapop_locks(&r->set.maps[use->at.lock.map], use->op);
	json_t *list = json_array();

	for (int lock = MAPLOCK_NONE + 1; lock < MAPLOCK_NR; lock++)
		if (locks & 1U << lock)
			json_array_append_new(list,
					      json_pack("{s:s, s:s}", "id", maplock_id(lock),
							"kind", maplocks_kind(&r->maplocks, lock)));
	return list;
}

static json_t *use_json(const struct check_result *r, const struct use *use)
{
	const struct check_prog *p = &r->set.progs[use->at.prog];
	const struct check_map *m = &r->set.maps[use->at.lock.map];
	struct check_line line;

	check_line(p, use->at.pc, &line);
	return json_pack("{s:o, s:s, s:s, s:o, s:o, s:o, s:o}", "map", json_text(m->name),
			 "map_type", mapop_type(m), "op", use->op, "program", json_text(p->name),
			 "file", json_text(line.file), "line",
			 line.file ? json_integer(line.line) : json_null(), "locks",
			 locks_json(r, use));
}

static json_t *uses_json(const struct check_result *r)
{
	json_t *list = json_array();

	for (size_t i = 0; i < r->record.nr_uses; i++)
		json_array_append_new(list, use_json(r, &r->record.uses[i]));
	return list;
}

static json_t *nests_json(const struct check_result *r)
{
	json_t *list = json_array();

	for (size_t i = 0; i < r->nests.nr; i++) {
		const struct mapnest *n = &r->nests.all[i];

		json_array_append_new(
			list,
			json_pack("{s:o, s:o, s:o, s:s, s:s, s:o}", "below",
				  n->outer ? use_json(r, n->outer) : json_null(), "map",
				  json_text(r->set.maps[n->map].name), "on_top",
				  use_json(r, n->inner), "holds", maplock_id(n->lock), "wants",
				  maplock_id(n->wants), "hook",
				  n->nmi ?
					  json_null() :
					  json_text(where_hook(&r->set.progs[n->inner->at.prog]))));
	}
	return list;
}

void check_print_json(const struct check_result *r)
{
	json_put_pretty(json_pack("{s:s, s:o, s:o, s:o, s:o, s:o, s:o}", "schema", "rqspin-check/1",
				  "programs", programs_json(r), "acquisitions", sites_json(r),
				  "order", edges_json(r), "map_operations", uses_json(r),
				  "nestings", nests_json(r), "findings",
				  findings_json(&r->findings)));
}
