// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/groups.h"
#include "names/lockname.h"
#include "names/proginfo.h"
#include "events/failure.h"
#include "events/unique.h"

#define TEXT 320
#define PROG 512

struct unique_key {
	__u32 kind, parties, line;
	int err;
	char file[64];
	char prog[PROG];
	char lock[TEXT];
};

struct seen {
	struct failure first;
	struct lockname wanted;
	__u64 again;
};

struct unique {
	struct groups seen;
};

struct unique *unique_new(void)
{
	struct unique *u = calloc(1, sizeof(*u));

	if (u)
		u->seen.size = sizeof(struct seen);
	return u;
}

static struct seen *seen_at(const struct unique *u, size_t i)
{
	return groups_at(&u->seen, i);
}

void unique_free(struct unique *u)
{
	if (!u)
		return;
	for (size_t i = 0; i < u->seen.nr; i++)
		proginfo_put(seen_at(u, i)->first.prog);
	groups_clear(&u->seen);
	free(u);
}

static void key_fill(struct unique_key *key, const struct failure *f, const struct lockname *wanted)
{
	memset(key, 0, sizeof(*key));
	key->kind = f->ev.kind;
	key->parties = f->ev.parties;
	key->line = f->ev.line;
	key->err = f->ev.err;
	snprintf(key->file, sizeof(key->file), "%s", f->file);
	snprintf(key->prog, sizeof(key->prog), "%s", f->prog ? f->prog->full_name : f->ev.prog);
	if (f->ev.lock)
		lockname_text(wanted, false, key->lock, sizeof(key->lock));
	groups_pad(key->lock, sizeof(key->lock));
}

bool unique_first(struct unique *u, const struct failure *f, struct locknames *names)
{
	struct lockname wanted = { 0 };
	struct unique_key key;
	struct seen *s;
	bool added;

	if (f->ev.lock)
		locknames_find(names, f->ev.lock, f->ev.ts_ns, f->prog, &wanted);
	key_fill(&key, f, &wanted);
	s = groups_get(&u->seen, &key, sizeof(key), &added);
	if (!s)
		return true;
	if (!added) {
		s->again++;
		return false;
	}
	s->first = *f;
	s->wanted = wanted;
	s->first.report = NULL;
	proginfo_get(f->prog);
	return true;
}

int unique_repeats(const struct unique *u, unique_fn fn, void *ctx)
{
	int err = 0;

	for (size_t i = 0; !err && i < u->seen.nr; i++) {
		const struct seen *s = seen_at(u, i);

		if (s->again)
			err = fn(&s->first, s->first.ev.lock ? &s->wanted : NULL, s->again, ctx);
	}
	return err;
}
