// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include "base/json_out.h"
#include "replay/text.h"
#include "replay/view.h"
#include "output/page/names.h"

static json_t *lock_json(const struct scene_lock *lock)
{
	static const char *const homes[] = { "variable", "array", "hash" };
	char text[LOCK_TEXT];

	return json_pack("{s:s, s:s, s:o, s:o, s:b}", "name", lock->map, "where", homes[lock->home],
			 "key", lock->home == HOME_GLOBAL ? json_null() : json_integer(lock->key),
			 "stands_for", lock->event ? json_text(lock_text(lock, text)) : json_null(),
			 "inside_map", scene_internal(lock));
}

static json_t *party_json(const struct scene *s, unsigned int i)
{
	const struct scene_party *p = &s->parties[i];
	bool timeout = s->kind == SCENE_TIMEOUT;
	char text[PARTY_TEXT];

	return json_pack("{s:s, s:o, s:o, s:o}", "program", p->function, "stands_for",
			 p->event ? json_text(party_text(p, text)) : json_null(), "holds",
			 timeout && i ? json_null() : json_integer(p->holds), "wants",
			 timeout && !i ? json_null() : json_integer(p->wants));
}

json_t *replay_json(const struct scene *s)
{
	json_t *locks = json_array(), *parties = json_array();

	for (unsigned int i = 0; i < s->nr_locks; i++)
		json_array_append_new(locks, lock_json(&s->locks[i]));
	for (unsigned int i = 0; i < s->nr; i++)
		json_array_append_new(parties, party_json(s, i));
	return json_pack("{s:s, s:o, s:s, s:i, s:s, s:o, s:o}", "schema", "rqspin-replay/1", "time",
			 json_text(report_member(s->event, "time")), "kind",
			 report_member(s->event, "kind"), "rounds", (int)scene_rounds(s), "expect",
			 scene_expect(s), "locks", locks, "parties", parties);
}
