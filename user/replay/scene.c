// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include "replay/scene.h"
#include "output/page/names.h"

bool scene_internal(const struct scene_lock *lock)
{
	return *report_member(lock->event, "internal");
}

const char *scene_expect(const struct scene *s)
{
	static const char *const expect[] = {
		[SCENE_AA] = "ok=0 EDEADLK=1",
		[SCENE_CYCLE] = "EDEADLK+ETIMEDOUT>=1",
		[SCENE_TIMEOUT] = "ok=1 ETIMEDOUT=1",
	};

	return expect[s->kind];
}

unsigned int scene_rounds(const struct scene *s)
{
	/* A timeout takes 250 ms and more; so does a cycle of three if only timeouts end it. */
	return s->nr > 2 || s->kind == SCENE_TIMEOUT ? 3 : 100;
}
