// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include <stdlib.h>
#include <string.h>

#include "output/alike.h"
#include "events/failure.h"

#define KEPT 16

/*
 * @like: the failure without time, place in the ring and report; of its wait only whether it is
 * unknown
 * @ts_ns: when the failure was; 0: @text is not for others
 */
struct alike {
	struct failure like;
	__u64 ts_ns;
	char *text;
};

static struct alike kept[KEPT];
static unsigned int nr, next;

static void alike_key(const struct failure *f, struct failure *like)
{
	*like = *f;
	like->ev.seq = 0;
	like->ev.ts_ns = 0;
	like->ev.wait_ns = f->ev.wait_ns == WAIT_UNKNOWN;
	like->report = NULL;
}

const char *alike_find(const struct failure *f, __u64 settled_ns)
{
	struct failure like;

	if (f->ev.ts_ns <= settled_ns)
		return NULL;
	alike_key(f, &like);
	for (unsigned int i = 0; i < nr; i++)
		if (kept[i].ts_ns > settled_ns && !memcmp(&kept[i].like, &like, sizeof(like)))
			return kept[i].text;
	return NULL;
}

const char *alike_add(const struct failure *f, char *text, bool again)
{
	struct alike *a = &kept[next];

	free(a->text);
	alike_key(f, &a->like);
	a->ts_ns = again ? f->ev.ts_ns : 0;
	a->text = text;
	next = (next + 1) % KEPT;
	nr += nr < KEPT;
	return text;
}

void alike_forget(void)
{
	for (unsigned int i = 0; i < nr; i++) {
		free(kept[i].text);
		kept[i].text = NULL;
	}
	nr = next = 0;
}
