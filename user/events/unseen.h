/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Counts programs whose failures are not seen, and names them as far as possible. Also finds maps
 * in use whose own locks may fail unseen.
 */
#ifndef RQSPIN_TRACE_UNSEEN_H
#define RQSPIN_TRACE_UNSEEN_H

#include <linux/types.h>
#include <stdbool.h>

#include "events/counted.h"

struct lineup;
struct proginfos;
struct trace_filter;
struct wake;

/**
 * struct unseen - data of a session about such programs
 * @filter: selects the programs that count
 * @missed: names of programs that came and went
 * @silent: names of programs that take locks without reporting failures
 * @nr_missed: number of programs that came and went
 * @nr_silent: number of programs that take locks without reporting failures
 * @checked: programs up to this id have been checked for a source
 * @blind: mask of enum maplock: resilient locks inside maps that no source sees
 * @used: those of @blind that are in maps in use
 * @looked: the maps of programs up to this id are known
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

/* Finds new programs, and counts programs that were gone before they could be read. */
void unseen_scan(struct unseen *u, struct proginfos *progs, struct wake *wake);

/*
 * Names the programs up to the id last that take locks and that no source of the lineup covers. The
 * maps of these programs are older than the latest poll, so sources that go by maps have seen them.
 */
void unseen_find(struct unseen *u, const struct proginfos *progs, const struct lineup *l,
		 __u32 last);

/* Notes the maps of new programs. */
void unseen_maps(struct unseen *u, const struct proginfos *progs);

#endif
