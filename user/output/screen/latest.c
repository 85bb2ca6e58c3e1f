// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "names/proginfo.h"
#include "output/screen/latest.h"
#include "events/failure.h"

/**
 * struct latest - the latest failure of one series
 * @f: the failure, if @fresh
 * @fresh: @f has no text yet
 * @text: of the last failure that was composed; NULL: none
 * @when: times of the failure in @text
 */
struct latest {
	struct failure f;
	bool fresh;
	char *text;
	struct latest_when when;
};

struct latests {
	struct latest *all;
	size_t nr;
};

struct latests *latests_new(void)
{
	return calloc(1, sizeof(struct latests));
}

void latests_free(struct latests *l)
{
	if (!l)
		return;
	for (size_t i = 0; i < l->nr; i++) {
		if (l->all[i].fresh)
			proginfo_put(l->all[i].f.prog);
		free(l->all[i].text);
	}
	free(l->all);
	free(l);
}

static bool latests_grow(struct latests *l, size_t nr)
{
	struct latest *all;

	if (nr <= l->nr)
		return true;
	all = reallocarray(l->all, nr, sizeof(*all));
	if (!all)
		return false;
	memset(&all[l->nr], 0, (nr - l->nr) * sizeof(*all));
	l->all = all;
	l->nr = nr;
	return true;
}

void latest_set(struct latests *l, size_t series, const struct failure *f)
{
	struct latest *e;

	if (!latests_grow(l, series + 1))
		return;
	e = &l->all[series];
	proginfo_get(f->prog);
	if (e->fresh)
		proginfo_put(e->f.prog);
	e->f = *f;
	e->f.report = NULL; /* it does not outlive the caller's failure */
	e->fresh = true;
}

void latests_compose(struct latests *l, latest_fn compose, void *ctx)
{
	for (size_t i = 0; i < l->nr; i++) {
		struct latest *e = &l->all[i];

		if (!e->fresh)
			continue;
		free(e->text);
		e->text = compose(&e->f, ctx);
		e->when = (struct latest_when){ e->f.ev.ts_ns, e->f.ev.wait_ns };
		proginfo_put(e->f.prog);
		e->fresh = false;
	}
}

const char *latest_text(const struct latests *l, size_t series, struct latest_when *when)
{
	if (series >= l->nr)
		return NULL;
	*when = l->all[series].when;
	return l->all[series].text;
}
