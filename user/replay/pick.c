// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include <errno.h>
#include <string.h>

#include "base/log.h"
#include "replay/pick.h"
#include "output/page/names.h"

struct picking {
	struct pick *pick;
	const struct lines *lines;
	json_t *event;
};

static void pick_look(const json_t *line, void *ctx)
{
	struct picking *p = ctx;

	if (strcmp(report_member(line, "type"), "failure") ||
	    ++p->pick->failures != p->pick->wanted)
		return;
	p->event = json_incref((json_t *)line);
	p->pick->line = p->lines->nr;
}

static int pick_explain(const struct pick *p, const struct lines *l)
{
	if (!p->failures) {
		pr_err("%s: no failure in it: 'rqspin trace --json' writes one line for each",
		       l->name);
		return -ENODATA;
	}
	pr_err("--event %llu: %s has %llu failure%s", p->wanted, l->name, p->failures,
	       p->failures == 1 ? "" : "s");
	return -EINVAL;
}

json_t *pick_failure(struct pick *p, struct lines *l, int *err)
{
	struct picking picking = { .pick = p, .lines = l };

	*err = lines_read(l, pick_look, &picking);
	if (!*err && !picking.event)
		*err = pick_explain(p, l);
	if (!*err)
		return picking.event;
	json_decref(picking.event);
	return NULL;
}
