// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include <string.h>
#include <unistd.h>
#include <bpf/bpf.h>

#include "base/log.h"
#include "kernel/maplocks.h"
#include "names/own.h"
#include "names/proginfo.h"
#include "events/filter.h"
#include "events/lineup.h"
#include "events/unseen.h"
#include "events/wake.h"

#define NAMED_MAX 20 /* warnings that name a program that is not seen */

/* Programs that libbpf and rqspin load to test the kernel, and release at once. */
static bool is_probe(const char *name)
{
	static const char *const names[] = { "", "a", "libbpf_nametest" };

	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
		if (!strcmp(name, names[i]))
			return true;
	return own_name(name);
}

/* Nothing is known of the program but its id and perhaps its name. */
static bool counts_as_missed(const struct unseen *u, struct wake *wake, __u32 id,
			     char name[WAKE_NAME])
{
	const char *want = u->filter->prog;
	char full[WAKE_NAME] = "";

	if (id == PROGINFO_MISSED_MANY)
		return true;
	if (!wake_prog_name(wake, id, name))
		return !want || trace_filter_prog(u->filter, id, want, NULL);
	if (want)
		memccpy(full, want, 0, sizeof(full) - 1);
	return !is_probe(name) &&
	       trace_filter_prog(u->filter, id, name, strcmp(full, name) ? NULL : want);
}

void unseen_scan(struct unseen *u, struct proginfos *progs, struct wake *wake)
{
	__u32 id;

	proginfos_scan(progs);
	while (proginfos_next_missed(progs, &id)) {
		char name[WAKE_NAME] = "?";

		if (!counts_as_missed(u, wake, id, name))
			continue;
		if (id != PROGINFO_MISSED_MANY)
			pr_debug("program %u %s was gone before it could be examined", id, name);
		if (!counted_has(&u->silent, name) &&
		    counted_first(&u->missed, strcmp(name, "?") ? name : ""))
			u->nr_missed++;
	}
}

static void note_silent(struct unseen *u, const struct proginfo *p)
{
	if (!counted_first(&u->silent, p->full_name))
		return;
	/* The program was missed before, and now it stays: it counts only once. */
	if (u->nr_missed && counted_has(&u->missed, p->full_name))
		u->nr_missed--;
	if (u->nr_silent++ < NAMED_MAX)
		pr_warn("program %u %s takes locks, but does not report failures with "
			"res_events.bpf.h: they are NOT seen here",
			p->id, p->full_name);
	else if (u->nr_silent == NAMED_MAX + 1)
		pr_warn("and more such programs");
}

void unseen_find(struct unseen *u, const struct proginfos *progs, const struct lineup *l,
		 __u32 last)
{
	for (const struct proginfo *p = proginfos_first(progs); p && p->id > u->checked;
	     p = p->next)
		if (p->id <= last && p->locks && lineup_covers(l, p) != COVER_YES &&
		    trace_filter_prog(u->filter, p->id, p->name, p->full_name))
			note_silent(u, p);
	u->checked = last;
}

static void note_map(struct unseen *u, __u32 id)
{
	struct bpf_map_info info = {};
	__u32 len = sizeof(info);
	int fd = bpf_map_get_fd_by_id(id);

	if (fd < 0)
		return;
	if (!bpf_map_get_info_by_fd(fd, &info, &len) && !own_name(info.name)) {
		u->used |= maplocks_of_type(info.type) & u->blind;
		u->nested |= maplocks_nested(info.type);
	}
	close(fd);
}

void unseen_maps(struct unseen *u, const struct proginfos *progs)
{
	const struct proginfo *first = proginfos_first(progs);

	if (u->used == u->blind)
		return;
	for (const struct proginfo *p = first; p && p->id > u->looked; p = p->next)
		for (__u32 i = 0; !p->own && i < p->nr_map_ids; i++)
			if (trace_filter_prog(u->filter, p->id, p->name, p->full_name))
				note_map(u, p->map_ids[i]);
	u->looked = first ? first->id : 0;
	while (u->nested && !bpf_map_get_next_id(u->last_map, &u->last_map))
		note_map(u, u->last_map);
}
