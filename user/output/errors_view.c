// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/escape.h"
#include "base/json_out.h"
#include "errors/table.h"
#include "output/errors_view.h"

static const char *const kind_ids[] = { "plain", "later", "series" };
static const char *const kind_titles[] = { "plain lock, as on Linux 6.12",
					   "resilient lock, as on later kernels",
					   "Linux 6.12 with rqspin's patches" };

/* The texts of the table without Markdown's backticks. */
static json_t *json_bare(const char *text)
{
	char *copy = strdup(text), *to = copy;
	json_t *j;

	for (const char *c = text; copy && *c; c++)
		if (*c != '`')
			*to++ = *c;
	if (copy)
		*to = 0;
	j = json_string(copy ?: text);
	free(copy);
	return j;
}

static void put_text(const char *before, const char *text)
{
	json_t *j = json_bare(text);

	printf("%s%s\n", before, json_string_value(j));
	json_decref(j);
}

/* If an error is the same on all kernels, the kernel's lock need not be known. */
static bool same_everywhere(const struct map_error *e)
{
	return !strcmp(e->returns[0], e->returns[1]) && !strcmp(e->returns[0], e->returns[2]);
}

/* The errors that this kernel returns; NULL: unknown. */
static const char *error_returned(const struct errors_view *v, const struct map_error *e)
{
	enum maplock_kind kind = v->locks.kinds[e->lock];

	if (kind == MAPLOCK_UNKNOWN)
		return same_everywhere(e) ? e->returns[0] : NULL;
	return e->returns[kind];
}

/* Does the line have the error that was asked about? */
enum verdict {
	HERE,	   /* on this kernel; also if no error was asked about */
	PERHAPS,   /* on other kernels; this one's lock is unknown, or was not measured */
	ELSEWHERE, /* only on others */
	NEVER,
};

static enum verdict own_verdict(const struct errors_view *v, const struct map_error *e)
{
	const char *text = error_returned(v, e);

	if (!v->error || (text && map_error_names(text, v->error)))
		return HERE;
	for (int kind = 0; kind < MAPLOCK_KINDS; kind++)
		if (map_error_names(e->returns[kind], v->error))
			return text && !map_error_unmeasured(text) ? ELSEWHERE : PERHAPS;
	return NEVER;
}

/* A line about batches matters wherever the single operation returns the error. */
static enum verdict error_verdict(const struct errors_view *v, const struct map_error *e)
{
	enum verdict best = own_verdict(v, e);

	for (size_t i = 0; map_error_borrowed(e) && i < nr_map_errors; i++) {
		enum verdict other = own_verdict(v, &map_errors[i]);

		if (map_error_about(&map_errors[i], v->type, v->op) && other < best)
			best = other;
	}
	return best;
}

static bool error_is_advised(const struct errors_view *v, const struct map_error *e,
			     const struct map_advice *a)
{
	enum maplock_view view = v->locks.views[e->lock];
	const char *text = error_returned(v, e);
	bool any = false;

	if (text)
		return map_advice_for(a, e, text, view);
	for (int kind = 0; kind < MAPLOCK_KINDS; kind++)
		any |= map_advice_for(a, e, e->returns[kind], view);
	return any;
}

/* @known: the errors of this kernel, which are not printed twice. */
static void put_kernels(const struct map_error *e, const char *known)
{
	for (int kind = 0; kind < MAPLOCK_KINDS; kind++) {
		char before[64];

		if (known && !strcmp(e->returns[kind], known))
			continue;
		snprintf(before, sizeof(before), "    %s: ", kind_titles[kind]);
		put_text(before, e->returns[kind]);
	}
}

static void put_error(const struct errors_view *v, const struct map_error *e)
{
	const char *text = error_returned(v, e);

	put_text("\n", e->cause);
	if (!text)
		printf("  returns, depending on the kernel:\n");
	else if (strcmp(text, "-"))
		put_text("  returns: ", text);
	if (text && error_verdict(v, e) != HERE)
		printf("  on other kernels:\n");
	if (!text || error_verdict(v, e) != HERE)
		put_kernels(e, text);
	for (size_t i = 0; i < nr_map_advices; i++)
		if (error_is_advised(v, e, &map_advices[i]))
			put_text("  do: ", map_advices[i].text);
}

static size_t put_errors(const struct errors_view *v, enum verdict wanted)
{
	static const char *const heads[] = {
		[HERE] = "",
		[PERHAPS] = "\nPerhaps, depending on the kernel:\n",
		[ELSEWHERE] = "\nNever on this kernel, but on others:\n",
	};
	size_t nr = 0;

	for (size_t i = 0; i < nr_map_errors; i++) {
		const struct map_error *e = &map_errors[i];

		if (!map_error_about(e, v->type, v->op) || error_verdict(v, e) != wanted)
			continue;
		if (!nr++)
			fputs(heads[wanted], stdout);
		put_error(v, e);
	}
	return nr;
}

static const char *kind_text(enum maplock_kind kind)
{
	return kind == MAPLOCK_UNKNOWN ? "unknown" : kind == MAPLOCK_PLAIN ? "plain" : "resilient";
}

static bool lock_matters(const struct errors_view *v, enum maplock lock)
{
	for (size_t i = 0; i < nr_map_errors; i++)
		if (map_errors[i].lock == lock && map_error_about(&map_errors[i], v->type, v->op))
			return true;
	return false;
}

static const char *error_dash(const char *error)
{
	return *error == 'E' ? "-" : "";
}

static void put_head(const struct errors_view *v)
{
	printf("%s: %s", v->type, v->op);
	if (v->error)
		printf(": %s%s", error_dash(v->error), v->error);
	if (v->release)
		printf(", on this kernel (%s)\n", escaped(v->release));
	else
		printf(", on the kernel of %s\n", escaped(v->btf));
	for (int lock = MAPLOCK_NONE + 1; lock < MAPLOCK_NR; lock++)
		if (lock_matters(v, lock))
			printf("%s: %s\n", maplock_title(lock), kind_text(v->locks.kinds[lock]));
}

void errors_print_text(const struct errors_view *v)
{
	size_t nr = 0;

	put_head(v);
	for (enum verdict wanted = HERE; wanted < NEVER; wanted++)
		nr += put_errors(v, wanted);
	if (!nr)
		printf("\nno lock is the reason: see bpf(2) and the documentation of the map type\n");
}

static json_t *advice_json(const struct errors_view *v, const struct map_error *e)
{
	json_t *list = json_array();

	for (size_t i = 0; i < nr_map_advices; i++)
		if (error_is_advised(v, e, &map_advices[i]))
			json_array_append_new(list, json_bare(map_advices[i].text));
	return list;
}

static json_t *kernels_json(const struct map_error *e)
{
	json_t *j = json_object();

	for (int kind = 0; kind < MAPLOCK_KINDS; kind++)
		json_object_set_new(j, kind_ids[kind], json_bare(e->returns[kind]));
	return j;
}

static const char *kind_id(enum maplock_kind kind)
{
	return kind == MAPLOCK_UNKNOWN ? NULL : kind_ids[kind];
}

static json_t *here_json(const struct errors_view *v, const struct map_error *e)
{
	enum verdict here = error_verdict(v, e);

	return here == PERHAPS || !v->error ? json_null() : json_boolean(here == HERE);
}

static json_t *error_json(const struct errors_view *v, const struct map_error *e)
{
	const char *text = error_returned(v, e);

	return json_pack("{s:o, s:s?, s:s?, s:o, s:o, s:o, s:o, s:o}", "cause", json_bare(e->cause),
			 "lock", e->lock ? maplock_id(e->lock) : NULL, "kernel",
			 kind_id(v->locks.kinds[e->lock]), "returns",
			 text ? json_bare(text) : json_null(), "errors",
			 text ? map_error_errors(text) : json_null(), "here", here_json(v, e),
			 "kernels", kernels_json(e), "do", advice_json(v, e));
}

/* NULL: unknown, or it cannot fail. */
static const char *traced_id(const struct maplocks *locks, int lock)
{
	static const char *const ids[] = {
		[MAPLOCK_UNSEEN] = "no",
		[MAPLOCK_SEEN_AFTER] = "operation",
		[MAPLOCK_SEEN] = "lock",
	};
	enum maplock_kind kind = locks->kinds[lock];

	return kind == MAPLOCK_LATER || kind == MAPLOCK_SERIES ? ids[locks->views[lock]] : NULL;
}

static json_t *locks_json(const struct errors_view *v)
{
	json_t *list = json_array();

	for (int lock = MAPLOCK_NONE + 1; lock < MAPLOCK_NR; lock++)
		if (lock_matters(v, lock))
			json_array_append_new(
				list, json_pack("{s:s, s:s, s:s?, s:s?}", "id", maplock_id(lock),
						"title", maplock_title(lock), "kernel",
						kind_id(v->locks.kinds[lock]), "traced",
						traced_id(&v->locks, lock)));
	return list;
}

void errors_print_json(const struct errors_view *v)
{
	json_t *list = json_array();

	for (size_t i = 0; i < nr_map_errors; i++)
		if (map_error_about(&map_errors[i], v->type, v->op) &&
		    error_verdict(v, &map_errors[i]) != NEVER)
			json_array_append_new(list, error_json(v, &map_errors[i]));
	json_put_pretty(json_pack("{s:s, s:s, s:s, s:s?, s:o, s:o, s:o, s:o}", "schema",
				  "rqspin-errno/1", "map_type", v->type, "op", v->op, "error",
				  v->error, "release", json_text(v->release), "btf",
				  json_text(v->btf), "locks", locks_json(v), "causes", list));
}
