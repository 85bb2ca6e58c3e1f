// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/log.h"
#include "replay/homes.h"
#include "replay/read.h"
#include "output/page/names.h"

static int event_refuse(const char *why)
{
	pr_err("this event cannot be replayed: %s", why);
	return -EOPNOTSUPP;
}

static json_int_t member_integer(const json_t *object, const char *member)
{
	return json_integer_value(json_object_get(object, member));
}

static bool known_lock(const json_t *lock)
{
	return json_is_object(lock) &&
	       (*report_member(lock, "name") || *report_member(lock, "addr"));
}

/* Compares addresses, else places. An unknown lock is the same as no other. */
static bool same_lock(const json_t *a, const json_t *b)
{
	static const char *const place[] = { "map_id", "index", "key", "path", "name" };
	const char *addr = report_member(a, "addr");

	if (!known_lock(a) || !known_lock(b))
		return false;
	if (*addr && *report_member(b, "addr"))
		return !strcmp(addr, report_member(b, "addr"));
	for (size_t i = 0; i < sizeof(place) / sizeof(place[0]); i++)
		if (!json_equal(json_object_get(a, place[i]), json_object_get(b, place[i])))
			return false;
	return true;
}

static const json_t *newest_held(const json_t *event)
{
	const json_t *held = json_object_get(event, "held");
	size_t nr = json_array_size(held);

	return nr ? json_array_get(held, nr - 1) : NULL;
}

/* The failure's own CPU is party 0, the owner of the lock that it wants party 1, and so on. */
static const json_t *party_member(const json_t *event, unsigned int i)
{
	const json_t *chain = json_object_get(event, "chain"), *owner;

	if (!i)
		return event;
	if (json_array_size(chain))
		return json_array_get(chain, i - 1);
	owner = json_object_get(event, "owner");
	return i == 1 && json_is_object(owner) ? owner : NULL;
}

/* The next party holds the lock that party i wants; the last one wants a lock of the first. */
static const json_t *held_by(const json_t *event, unsigned int i, unsigned int nr)
{
	const json_t *before = party_member(event, i ? i - 1 : nr - 1), *lock;

	lock = json_object_get(before, i == 1 ? "lock" : "wants");
	if (known_lock(lock))
		return lock;
	return i ? NULL : newest_held(event);
}

static int add_locks(struct scene *s)
{
	bool outside = false;

	for (unsigned int i = 0; i < s->nr_locks; i++) {
		struct scene_lock *lock = &s->locks[i];

		lock->event = s->kind == SCENE_CYCLE ? held_by(s->event, i, s->nr) :
						       json_object_get(s->event, "lock");
		if (!known_lock(lock->event))
			lock->event = NULL;
		outside |= !scene_internal(lock);
		for (unsigned int j = 0; j < i; j++)
			if (same_lock(lock->event, s->locks[j].event))
				return event_refuse("it says of one lock that two CPUs hold it");
	}
	if (!outside || (!s->locks[0].event && member_integer(s->event, "map_id")))
		return event_refuse(
			"its locks are inside maps, where only the kernel takes them; the "
			"sample map_reentrancy shows how such a failure comes about");
	return 0;
}

static void add_party(struct scene *s, unsigned int i, const json_t *event, unsigned int holds,
		      unsigned int wants)
{
	struct scene_party *p = &s->parties[i];

	p->event = event;
	p->holds = holds;
	p->wants = wants;
	ident_unique(&s->idents, report_member(json_object_get(event, "prog"), "name"), "party",
		     p->function);
}

static void add_parties(struct scene *s)
{
	if (s->kind == SCENE_TIMEOUT) {
		add_party(s, 0, party_member(s->event, 1), 0, 0);
		add_party(s, 1, s->event, 0, 0);
		return;
	}
	for (unsigned int i = 0; i < s->nr; i++)
		add_party(s, i, party_member(s->event, i), i, (i + 1) % s->nr);
}

static int cycle_size(struct scene *s)
{
	const json_t *chain = json_object_get(s->event, "chain");
	json_int_t parties = member_integer(s->event, "parties");
	bool abba = !strcmp(report_member(s->event, "kind"), "ABBA");

	if (abba && !parties)
		parties = 2;
	if (!parties)
		return event_refuse("it does not say how many CPUs were in the cycle");
	if (abba ? parties != 2 : parties < 3)
		return event_refuse("its number of parties is not that of its kind");
	if (parties > SCENE_PARTIES)
		return event_refuse("more than 33 CPUs were in the cycle");
	if (json_array_size(chain) && (json_int_t)json_array_size(chain) != parties - 1)
		return event_refuse("members of its cycle are missing in \"chain\"");
	s->kind = SCENE_CYCLE;
	s->nr = s->nr_locks = parties;
	return 0;
}

static int set_kind(struct scene *s)
{
	const char *kind = report_member(s->event, "kind");

	snprintf(s->kind_text, sizeof(s->kind_text), "%s", kind);
	s->nr_locks = 1;
	if (!strcmp(kind, "AA")) {
		s->kind = SCENE_AA;
		s->nr = 1;
		return 0;
	}
	if (!strcmp(kind, "TIMEOUT")) {
		s->kind = SCENE_TIMEOUT;
		s->nr = 2;
		return 0;
	}
	if (!strcmp(kind, "ABBA"))
		return cycle_size(s);
	if (!strcmp(kind, "NESTED"))
		return event_refuse(
			"it is of kind NESTED: it takes an interrupt in the middle of the "
			"lock's own code, which no program can time");
	if (strcmp(kind, "CYCLE"))
		return event_refuse("only its errno is known, not its kind");
	snprintf(s->kind_text, sizeof(s->kind_text), "CYCLE %d",
		 (int)(unsigned short)member_integer(s->event, "parties"));
	return cycle_size(s);
}

int scene_read(struct scene *s, const json_t *event)
{
	int err;

	memset(s, 0, sizeof(*s));
	s->event = event;
	err = set_kind(s);
	if (!err)
		err = add_locks(s);
	if (err)
		return err;
	add_parties(s);
	homes_choose(s);
	return 0;
}
