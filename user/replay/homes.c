// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "replay/homes.h"
#include "replay/scene.h"
#include "output/page/names.h"

#define ELEMENTS_MAX 4096 /* of an array, which has memory for all */

/* Sections of variables are maps, too, with names such as .data.tree. */
static bool in_map(const struct scene_lock *lock)
{
	const char *map = report_member(lock->event, "map");

	return *map && *map != '.' && !scene_internal(lock);
}

static bool same_map(const struct scene_lock *a, const struct scene_lock *b)
{
	return in_map(a) && in_map(b) &&
	       json_equal(json_object_get(a->event, "map_id"),
			  json_object_get(b->event, "map_id")) &&
	       !strcmp(report_member(a->event, "map"), report_member(b->event, "map"));
}

bool homes_first(const struct scene *s, unsigned int lock)
{
	for (unsigned int i = 0; i < lock; i++)
		if (!strcmp(s->locks[i].map, s->locks[lock].map))
			return false;
	return true;
}

static enum scene_home home_of(const struct scene *s, const struct scene_lock *lock)
{
	if (in_map(lock) && strstr(report_member(lock->event, "map_type"), "hash"))
		return HOME_HASH;
	if (in_map(lock) && json_is_integer(json_object_get(lock->event, "index")))
		return HOME_ARRAY;
	/*
	 * The verifier lets a program take a variable's lock only once, but an element's lock
	 * twice, by two look-ups.
	 */
	return s->kind == SCENE_AA ? HOME_ARRAY : HOME_GLOBAL;
}

/* "stats.lock" */
static const char *last_part(const char *path)
{
	const char *dot = strrchr(path, '.');

	return dot ? dot + 1 : path;
}

static void set_names(struct scene *s, unsigned int nr)
{
	struct scene_lock *lock = &s->locks[nr];
	const char *path = report_member(lock->event, "path");

	for (unsigned int i = 0; i < nr; i++) {
		if (!same_map(lock, &s->locks[i]) || lock->home != s->locks[i].home)
			continue;
		strcpy(lock->map, s->locks[i].map);
		strcpy(lock->field, s->locks[i].field);
		return;
	}
	ident_unique(&s->idents, in_map(lock) ? report_member(lock->event, "map") : path, "lock_x",
		     lock->map);
	ident_like(in_map(lock) ? last_part(path) : "", "lock", lock->field);
	if (!strcmp(lock->field, "the_lock"))
		strcpy(lock->field, "lock");
}

/* Uses the element's own key if it is a number that fits, and changes it if another lock has it. */
static void set_key(struct scene *s, unsigned int nr)
{
	struct scene_lock *lock = &s->locks[nr];
	unsigned long long key;

	if (lock->home == HOME_ARRAY) {
		key = json_integer_value(json_object_get(lock->event, "index"));
		lock->key = key < ELEMENTS_MAX ? key : ELEMENTS_MAX - 1;
	} else {
		key = strtoull(report_member(lock->event, "key"), NULL, 10);
		lock->key = key < UINT32_MAX ? key : 0;
	}
	for (unsigned int i = 0; i < nr; i++) {
		if (strcmp(s->locks[i].map, lock->map) || s->locks[i].key != lock->key)
			continue;
		lock->key = lock->key ? lock->key - 1 : SCENE_PARTIES;
		i = -1;
	}
}

void homes_choose(struct scene *s)
{
	for (unsigned int i = 0; i < s->nr_locks; i++) {
		s->locks[i].home = home_of(s, &s->locks[i]);
		set_names(s, i);
		if (s->locks[i].home != HOME_GLOBAL)
			set_key(s, i);
	}
}
