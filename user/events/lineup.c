// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "names/proginfo.h"
#include "base/log.h"
#include "events/lineup.h"

bool lineup_has(const struct lineup *l, unsigned int traits)
{
	return l->traits & traits;
}

bool lineup_counts_all(const struct lineup *l)
{
	for (int i = 0; i < l->nr; i++)
		if (source_is(l->sources[i], SOURCE_AT_LOCK) &&
		    source_is(l->sources[i], SOURCE_WHOLE | SOURCE_REPORTS))
			return true;
	return false;
}

enum source_cover lineup_covers(const struct lineup *l, const struct proginfo *prog)
{
	enum source_cover best = COVER_NO;

	for (int i = 0; i < l->nr; i++) {
		enum source_cover here = COVER_NO;

		if (l->sources[i]->covers)
			here = prog && !prog->unread ? l->sources[i]->covers(l->states[i], prog) :
						       COVER_SOON;
		if (here > best)
			best = here;
	}
	return best;
}

unsigned int lineup_sees(const struct lineup *l)
{
	unsigned int locks = 0;

	for (int i = 0; i < l->nr; i++)
		if (l->sources[i]->sees)
			locks |= l->sources[i]->sees(l->states[i]);
	return locks;
}

/*
 * Sources are polled by rank, the highest first: sources of lower rank look later, and so find
 * every failure that a source of higher rank has seen.
 */
static void lineup_append(struct lineup *l, const struct source *src, void *state)
{
	int at = l->nr++;

	for (; at && l->sources[at - 1]->rank < src->rank; at--) {
		l->sources[at] = l->sources[at - 1];
		l->states[at] = l->states[at - 1];
	}
	l->sources[at] = src;
	l->states[at] = state;
	l->traits |= src->traits;
}

static bool lineup_start_one(struct lineup *l, struct session *s, const struct source *src,
			     bool must)
{
	char why[256] = "";
	void *state;

	if (!l->pinned && !src->usable(why, sizeof(why))) {
		if (must)
			pr_err("source '%s' does not work here: %s", src->name, why);
		else
			pr_debug("source '%s' not used: %s", src->name, why);
		return false;
	}
	state = src->open(s);
	if (!state) {
		pr_err("source '%s' cannot be started: %s", src->name, strerror(errno));
		return false;
	}
	lineup_append(l, src, state);
	return true;
}

static void no_source(const struct source *const *table, const char *name)
{
	char names[256];
	size_t used = 0;

	for (size_t i = 0; table[i] && used < sizeof(names); i++)
		used += snprintf(names + used, sizeof(names) - used, "%s%s",
				 !i	      ? "" :
				 table[i + 1] ? ", " :
						" and ",
				 table[i]->name);
	pr_err("no source '%s'; there are %s", name, names);
}

static const struct source *source_by_name(const struct source *const *table, const char *name)
{
	for (size_t i = 0; table[i]; i++)
		if (!strcmp(table[i]->name, name))
			return table[i];
	no_source(table, name);
	return NULL;
}

/* Sources in the order in which they were named, NULL at the end. */
struct choice {
	const struct source *sources[LINEUP_MAX + 1];
	int nr;
};

static bool choice_has(const struct choice *c, const struct source *src)
{
	for (int i = 0; i < c->nr; i++)
		if (c->sources[i] == src)
			return true;
	return false;
}

/* Modifies list. */
static int choice_make(struct choice *c, const struct source *const *table, char *list)
{
	char *name;

	while ((name = strsep(&list, ","))) {
		const struct source *src = source_by_name(table, name);

		if (!src)
			return -EINVAL;
		if (choice_has(c, src)) {
			pr_err("source '%s' is named twice", name);
			return -EINVAL;
		}
		c->sources[c->nr++] = src;
	}
	return 0;
}

/*
 * Sources of self-reports start last: a failure that only they saw, because the others had not
 * started yet, would be taken for one that the others have lost.
 */
static int start_in_turn(struct lineup *l, struct session *s, const struct source *const *table,
			 bool (*take)(struct lineup *l, struct session *s,
				      const struct source *src))
{
	for (int last = 0; last <= 1; last++)
		for (size_t i = 0; table[i]; i++)
			if (source_is(table[i], SOURCE_SELF_REPORTS) == last &&
			    !take(l, s, table[i]))
				return -EOPNOTSUPP;
	return 0;
}

static bool start_wanted_one(struct lineup *l, struct session *s, const struct source *src)
{
	return lineup_start_one(l, s, src, true);
}

static int start_wanted(struct lineup *l, struct session *s, const struct source *const *table,
			const char *wanted)
{
	struct choice c = { .nr = 0 };
	char *list = strdup(wanted);
	int err = list ? choice_make(&c, table, list) : -ENOMEM;

	free(list);
	return err ?: start_in_turn(l, s, c.sources, start_wanted_one);
}

/* Starts a source if it adds to the others, and works. */
static bool start_useful_one(struct lineup *l, struct session *s, const struct source *src)
{
	bool known = (lineup_has(l, SOURCE_REPORTS) && source_is(src, SOURCE_REPORTS)) ||
		     (lineup_has(l, SOURCE_WHOLE) && !source_is(src, SOURCE_SELF_REPORTS));

	if (!known)
		lineup_start_one(l, s, src, false);
	return true;
}

static int start_all(struct lineup *l, struct session *s, const struct source *const *table)
{
	start_in_turn(l, s, table, start_useful_one);
	if (!l->nr)
		pr_err("no source of failures works here: 'rqspin doctor' says why");
	return l->nr ? 0 : -EOPNOTSUPP;
}

int lineup_start(struct lineup *l, struct session *s, const struct source *const *table,
		 const char *wanted)
{
	if (!wanted || !strcmp(wanted, "auto"))
		return start_all(l, s, table);
	return start_wanted(l, s, table, wanted);
}

int lineup_add(struct lineup *l, struct session *s, const struct source *src)
{
	return lineup_start_one(l, s, src, true) ? 0 : -EOPNOTSUPP;
}

void lineup_stop(struct lineup *l)
{
	for (int i = l->nr - 1; i >= 0; i--)
		l->sources[i]->close(l->states[i]);
	*l = (struct lineup){ 0 };
}

void lineup_poll(struct lineup *l, bool last)
{
	for (int i = 0; i < l->nr; i++)
		l->sources[i]->poll(l->states[i], last);
}

void lineup_names(const struct lineup *l, char *buf, size_t size)
{
	size_t used = 0;

	*buf = 0;
	for (int i = 0; i < l->nr && used < size; i++)
		if (!source_is(l->sources[i], SOURCE_WAITS))
			used += snprintf(buf + used, size - used, "%s%s", used ? ", " : "",
					 l->sources[i]->name);
}
