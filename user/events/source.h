/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* A source of failures. Its traits are data, so that users of sources need not know their names. */
#ifndef RQSPIN_TRACE_SOURCE_H
#define RQSPIN_TRACE_SOURCE_H

#include <linux/types.h>
#include <stdbool.h>
#include <stddef.h>

#include "events/losses.h"

struct proginfo;
struct session;

/**
 * enum source_trait - properties of a source, for sessions and joins
 * @SOURCE_WHOLE: sees every failure of the kernel's lock; only self-reports add to it
 * @SOURCE_REPORTS: sees the kernel's reports; the first source that does is enough
 * @SOURCE_AT_LOCK: runs in the lock when it fails; needs no list of programs
 * @SOURCE_SELF_REPORTS: programs report themselves, with the time at which their scope began
 * @SOURCE_PROG_MEMORY: reads memory that goes when its program goes
 * @SOURCE_OPERATIONS: reports operations, when they end; the lock failed inside
 * @SOURCE_RECORDS: its records can be kept without a process (struct session_tuning)
 * @SOURCE_WAITS: what it reports are long waits, no failures
 */
enum source_trait {
	SOURCE_WHOLE = 1 << 0,
	SOURCE_REPORTS = 1 << 1,
	SOURCE_AT_LOCK = 1 << 2,
	SOURCE_SELF_REPORTS = 1 << 3,
	SOURCE_PROG_MEMORY = 1 << 4,
	SOURCE_OPERATIONS = 1 << 5,
	SOURCE_RECORDS = 1 << 6,
	SOURCE_WAITS = 1 << 7,
};

#define RANK_PARTIAL 0 /* sees only some failures, and too little of them */
#define RANK_MAX     7

/* Does a source see the failures of a program? COVER_SOON: after its next look. */
enum source_cover { COVER_NO, COVER_SOON, COVER_YES };

/**
 * struct source - one way to learn of failures
 * @name: word of --source
 * @what: what it sees, for doctor
 * @rank: of two reports of one failure the one of higher rank is kept, and completed by the other;
 * each source has its own
 * @traits: mask of enum source_trait
 * @usable: can this kernel do it? why gets the reason if not
 * @open: returns the source's state, NULL and errno on failure
 * @poll: hand everything new to session_push(); last: there will be no other call
 * @lost: number of failures known to be lost; *unknown is set if there may be more
 * @lost_unasked: how many of @lost are in locks that the kernel was not asked for; only of sources
 * with SOURCE_SELF_REPORTS
 * @losses: passes the losses to fn, with failures that are like the lost ones, as far as these are
 * known; may be NULL
 * @sees: mask of enum maplock: the locks inside maps whose failures it sees; NULL: none. Without a
 * state: by the kernel's types
 * @covers: does it see the failures of a program? NULL unless it sees only programs that take part
 * in it
 */
struct source {
	const char *name;
	const char *what;
	int rank;
	unsigned int traits;
	bool (*usable)(char *why, size_t size);
	void *(*open)(struct session *s);
	void (*poll)(void *state, bool last);
	__u64 (*lost)(void *state, bool *unknown);
	__u64 (*lost_unasked)(void *state, bool *unknown);
	void (*losses)(void *state, loss_fn fn, void *ctx);
	unsigned int (*sees)(const void *state);
	enum source_cover (*covers)(void *state, const struct proginfo *prog);
	void (*close)(void *state);
};

static inline bool source_is(const struct source *src, unsigned int traits)
{
	return src->traits & traits;
}

#endif
