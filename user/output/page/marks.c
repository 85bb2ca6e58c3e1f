// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/grow.h"
#include "output/page/marks.h"
#include "output/page/names.h"
#include "output/page/timeline.h"

#define MEMBERS	    33		     /* of a cycle: the one that failed, and a chain */
#define WAIT_MAX_NS 86400000000000LL /* longer than any lock waits */
/* Times from 2000 to 2100: absurd ones would need more digits than a viewer has. */
#define TIME_MIN_US 946684800000000LL
#define TIME_MAX_US 4102444800000000LL

int marks_init(struct marks *m)
{
	*m = (struct marks){ .names = json_object() };
	return m->names ? 0 : -ENOMEM;
}

void marks_free(struct marks *m)
{
	free(m->all);
	free(m->drawn);
	json_decref(m->names);
}

/* Keeps each text once, because few texts are on many lines. NULL: the text is empty. */
static const char *text_keep(struct marks *m, const char *text)
{
	json_t *kept = *text ? json_object_get(m->names, text) : NULL;

	if (!kept && *text) {
		m->nomem |= json_object_set_new(m->names, text, json_string(text)) != 0;
		kept = json_object_get(m->names, text);
	}
	return json_string_value(kept);
}

static const char *held_keep(struct marks *m, const json_t *line)
{
	const json_t *held = json_object_get(line, "held");
	char names[8 * REPORT_NAME] = "", name[REPORT_NAME];
	size_t len = 0;

	for (size_t i = 0; i < json_array_size(held) && i < 8; i++)
		len += snprintf(names + len, sizeof(names) - len, "%s%s", i ? ", " : "",
				report_lock(json_array_get(held, i), name));
	return text_keep(m, names);
}

static bool cpu_read(const json_t *object, __u32 *cpu)
{
	json_int_t nr = json_integer_value(json_object_get(object, "cpu"));

	*cpu = nr;
	return json_is_integer(json_object_get(object, "cpu")) && nr >= 0 && nr <= UINT32_MAX;
}

/* False: the failure cannot be drawn. */
static bool failure_read(struct marks *m, const json_t *line, struct mark *f)
{
	char name[REPORT_NAME];
	int64_t us;

	if (timeline_us(report_member(line, "time"), &us) || us < TIME_MIN_US || us > TIME_MAX_US ||
	    !cpu_read(line, &f->cpu))
		return false;
	f->begin_ns = f->end_ns = us * 1000;
	f->tid = json_integer_value(json_object_get(line, "tid"));
	f->kind = text_keep(m, report_member(line, "kind"));
	f->errno_name = text_keep(m, report_member(line, "errno"));
	f->source = text_keep(m, report_member(line, "source"));
	f->comm = text_keep(m, report_member(line, "comm"));
	f->prog = text_keep(m, report_prog(line, name));
	f->lock = text_keep(m, report_failed_lock(line, name));
	f->at = text_keep(m, report_at(line, name));
	f->held = held_keep(m, line);
	return true;
}

/* @wait_ns: NULL if the length of the wait is unknown. */
static void wait_set(struct mark *w, const json_t *wait_ns)
{
	json_int_t ns = json_integer_value(wait_ns);

	w->wait = true;
	w->begin_known = json_is_integer(wait_ns) && ns >= 0 && ns <= WAIT_MAX_NS;
	w->begin_ns = w->end_ns - (w->begin_known ? ns : MARKS_SHORT_NS);
}

static bool waits_in_circle(const struct mark *f)
{
	return f->kind && (!strcmp(f->kind, "ABBA") || !strcmp(f->kind, "CYCLE"));
}

/* A member of the chain: the program or, inside a map, the kernel's function that waits. */
static bool hop_read(struct marks *m, const json_t *hop, const struct mark *f, struct mark *w)
{
	char name[REPORT_NAME];

	*w = (struct mark){ .kind = f->kind, .end_ns = f->end_ns };
	if (!cpu_read(hop, &w->cpu))
		return false;
	wait_set(w, NULL);
	w->tid = json_integer_value(json_object_get(hop, "tid"));
	w->comm = text_keep(m, report_member(hop, "comm"));
	if (json_is_object(json_object_get(hop, "prog")))
		w->prog = text_keep(m, report_prog(hop, name));
	else
		w->prog = text_keep(m, report_member(hop, "function"));
	w->lock = text_keep(m, report_lock(json_object_get(hop, "wants"), name));
	w->at = text_keep(m, report_at(hop, name));
	return true;
}

/* Reads the others of a cycle: the whole chain, or the owner alone. Returns how many. */
static size_t others_read(struct marks *m, const json_t *line, const struct mark *f,
			  struct mark *to)
{
	const json_t *chain = json_object_get(line, "chain"),
		     *owner = json_object_get(line, "owner");
	size_t nr = 0;

	if (!json_array_size(chain)) {
		bool waits = waits_in_circle(f) || json_is_object(json_object_get(owner, "wants"));

		return json_is_object(owner) && waits && hop_read(m, owner, f, to);
	}
	for (size_t i = 0; i < json_array_size(chain) && nr < MEMBERS - 1; i++)
		if (hop_read(m, json_array_get(chain, i), f, &to[nr]))
			nr++;
	return nr;
}

/* Without memory nothing is added. */
static int put_all(struct marks *m, const struct mark *marks, size_t nr)
{
	size_t before = m->nr;

	for (size_t i = 0; i < nr; i++) {
		int err = grow_append((void **)&m->all, &m->nr, &marks[i], sizeof(marks[i]));

		if (err) {
			m->nr = before;
			return err;
		}
	}
	return 0;
}

/* Of a longer cycle, only the owner may be known, or as many members as a chain has room for. */
static void cycle_set(struct marks *m, struct mark *waits, size_t nr, const json_t *line)
{
	json_int_t parties = json_integer_value(json_object_get(line, "parties"));

	m->cycles++;
	for (size_t i = 0; i < nr; i++) {
		waits[i].cycle = m->cycles;
		waits[i].whole = !strcmp(waits[i].kind, "ABBA") || (size_t)parties == nr;
	}
}

int marks_add(struct marks *m, const json_t *line)
{
	struct mark marks[1 + MEMBERS] = {}, *f = &marks[0], *w = &marks[1];
	size_t others;

	if (!failure_read(m, line, f)) {
		m->undated++;
		return 0;
	}
	if (m->nr + 1 + MEMBERS > (m->most ?: MARKS_MAX)) {
		m->left_out++;
		return 0;
	}
	*w = *f;
	wait_set(w, json_object_get(line, "wait_ns"));
	others = others_read(m, line, f, w + 1);
	if (others && waits_in_circle(f))
		cycle_set(m, w, 1 + others, line);
	m->failures++;
	/* An acquisition that failed at once did not wait. */
	if (!others && w->begin_ns == w->end_ns)
		return m->nomem ? -ENOMEM : put_all(m, f, 1);
	return m->nomem ? -ENOMEM : put_all(m, marks, 2 + others);
}

/* Sorts waits by CPU, then by their end; waits inside of others come first. */
static int order_to_cut(const void *a, const void *b)
{
	const struct mark *m = *(struct mark *const *)a, *n = *(struct mark *const *)b;

	if (m->cpu != n->cpu)
		return m->cpu < n->cpu ? -1 : 1;
	if (m->end_ns != n->end_ns)
		return m->end_ns < n->end_ns ? -1 : 1;
	return (n->begin_ns > m->begin_ns) - (n->begin_ns < m->begin_ns);
}

/* @open: earlier waits that no later one encloses yet, by their end. */
static void wait_cut(struct mark **open, size_t *nr, struct mark *w)
{
	while (*nr) {
		const struct mark *last = open[*nr - 1];

		if (last->cpu != w->cpu || last->end_ns <= w->begin_ns)
			break;
		if (last->begin_ns < w->begin_ns) {
			w->begin_ns = last->end_ns;
			w->cut = true;
			break;
		}
		--*nr;
	}
	open[(*nr)++] = w;
}

static void waits_cut(struct mark **waits, size_t nr, struct mark **open)
{
	size_t nr_open = 0;

	qsort(waits, nr, sizeof(*waits), order_to_cut);
	for (size_t i = 0; i < nr; i++)
		wait_cut(open, &nr_open, waits[i]);
}

static int order_to_draw(const void *a, const void *b)
{
	const struct mark *m = *(struct mark *const *)a, *n = *(struct mark *const *)b;

	if (m->begin_ns != n->begin_ns)
		return m->begin_ns < n->begin_ns ? -1 : 1;
	return (m->end_ns < n->end_ns) - (m->end_ns > n->end_ns);
}

int marks_settle(struct marks *m)
{
	struct mark **open = calloc(m->nr + 1, sizeof(*open));
	size_t nr = 0;

	m->drawn = calloc(m->nr + 1, sizeof(*m->drawn));
	if (!open || !m->drawn) {
		free(open);
		return -ENOMEM;
	}
	for (size_t i = 0; i < m->nr; i++)
		if (m->all[i].wait)
			m->drawn[nr++] = &m->all[i];
	waits_cut(m->drawn, nr, open);
	free(open);
	for (size_t i = 0; i < m->nr; i++)
		if (!m->all[i].wait)
			m->drawn[nr++] = &m->all[i];
	qsort(m->drawn, nr, sizeof(*m->drawn), order_to_draw);
	return 0;
}
