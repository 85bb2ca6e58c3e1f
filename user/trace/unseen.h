/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Programs whose failures are not seen: they are counted, and as far as possible named. And maps
 * that they use, whose own locks may fail unseen.
 */
#ifndef RQSPIN_TRACE_UNSEEN_H
#define RQSPIN_TRACE_UNSEEN_H

#include <linux/types.h>
#include <stdbool.h>

#include "trace/counted.h"

struct lineup;
struct proginfos;
struct trace_filter;
struct wake;

/**
 * struct unseen - what a session knows of such programs
 * @filter: whose programs count
 * @missed: names of those that came and went
 * @silent: names of those that take locks without reporting
 * @nr_missed: how many
 * @nr_silent: how many
 * @checked: of programs up to this id it is known whether they are seen
 * @blind: mask of enum maplock: resilient locks inside maps that no source sees
 * @used: those of them that maps in use have
 * @looked: of programs up to this id it is known which maps they use
 * @nested: a map of maps is in use, so any map may be
 * @last_map: in that case, the newest map that was looked at
 */
struct unseen {
	const struct trace_filter *filter;
	struct counted missed, silent;
	__u32 nr_missed, nr_silent;
	__u32 checked;
	__u32 blind, used;
	__u32 looked;
	bool nested;
	__u32 last_map;
};

/* Finds new programs, and those that are gone before anybody could look at them. */
void unseen_scan(struct unseen *u, struct proginfos *progs, struct wake *wake);

/*
 * Names programs that take locks, and which no source of the lineup covers. Up to the id last:
 * their maps are older, so sources that go by maps have seen those.
 */
void unseen_find(struct unseen *u, const struct proginfos *progs, const struct lineup *l,
		 __u32 last);

/* Notes the maps of new programs. */
void unseen_maps(struct unseen *u, const struct proginfos *progs);

#endif
