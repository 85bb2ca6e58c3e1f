// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include <stdlib.h>
#include <string.h>

#include "names/lockname.h"
#include "names/proginfo.h"
#include "events/failure.h"
#include "events/unique.h"

#define TEXT 320

struct seen {
	struct failure first;
	struct lockname wanted;
	char *lock;
	__u64 again;
};

struct unique {
	struct seen *all;
	size_t nr, room;
};

struct unique *unique_new(void)
{
	return calloc(1, sizeof(struct unique));
}

void unique_free(struct unique *u)
{
	if (!u)
		return;
	for (size_t i = 0; i < u->nr; i++) {
		proginfo_put(u->all[i].first.prog);
		free(u->all[i].lock);
	}
	free(u->all);
	free(u);
}

static const char *prog_name(const struct failure *f)
{
	return f->prog ? f->prog->full_name : f->ev.prog;
}

static bool unique_alike(const struct seen *s, const struct failure *f, const char *lock)
{
	const struct failure *x = &s->first;

	return x->ev.kind == f->ev.kind && x->ev.err == f->ev.err &&
	       x->ev.parties == f->ev.parties && x->ev.line == f->ev.line &&
	       !strcmp(x->file, f->file) && !strcmp(prog_name(x), prog_name(f)) &&
	       !strcmp(s->lock, lock);
}

static struct seen *unique_find(const struct unique *u, const struct failure *f, const char *lock)
{
	for (size_t i = 0; i < u->nr; i++)
		if (unique_alike(&u->all[i], f, lock))
			return &u->all[i];
	return NULL;
}

static void unique_add(struct unique *u, const struct failure *f, const struct lockname *wanted,
		       const char *lock)
{
	struct seen s = { .first = *f, .wanted = *wanted, .lock = strdup(lock) };

	if (u->nr == u->room) {
		size_t room = u->room ? u->room * 2 : 16;
		struct seen *all = realloc(u->all, room * sizeof(*all));

		if (all) {
			u->all = all;
			u->room = room;
		}
	}
	if (!s.lock || u->nr == u->room) {
		free(s.lock);
		return;
	}
	s.first.report = NULL;
	proginfo_get(f->prog);
	u->all[u->nr++] = s;
}

bool unique_first(struct unique *u, const struct failure *f, struct locknames *names)
{
	struct lockname name = { 0 };
	char lock[TEXT] = "";
	struct seen *s;

	if (f->ev.lock) {
		locknames_find(names, f->ev.lock, f->ev.ts_ns, f->prog, &name);
		lockname_text(&name, false, lock, sizeof(lock));
	}
	s = unique_find(u, f, lock);
	if (s)
		s->again++;
	else
		unique_add(u, f, &name, lock);
	return !s;
}

int unique_repeats(const struct unique *u, unique_fn fn, void *ctx)
{
	int err = 0;

	for (size_t i = 0; !err && i < u->nr; i++) {
		const struct seen *s = &u->all[i];

		if (s->again)
			err = fn(&s->first, s->first.ev.lock ? &s->wanted : NULL, s->again, ctx);
	}
	return err;
}
