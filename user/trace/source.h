/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* What a source of failures is: its traits are data, and whoever uses sources needs no names. */
#ifndef RQSPIN_TRACE_SOURCE_H
#define RQSPIN_TRACE_SOURCE_H

#include <linux/types.h>
#include <stdbool.h>
#include <stddef.h>

#include "trace/losses.h"

struct proginfo;
struct session;

/**
 * enum source_trait - what sessions and joins have to know of a source
 * @SOURCE_WHOLE: sees every failure of the kernel's lock; only self-reports add to it
 * @SOURCE_REPORTS: sees the kernel's reports; the first source that does is enough
 * @SOURCE_AT_LOCK: runs where a lock fails, at that time; needs no list of programs
 * @SOURCE_SELF_REPORTS: programs report themselves, with the time at which their scope began
 * @SOURCE_PROG_MEMORY: reads memory that goes when its program goes
 * @SOURCE_OPERATIONS: reports operations, when they end; the lock failed inside
 * @SOURCE_RECORDS: what it sees can be kept without a process (struct session_tuning)
 */
enum source_trait {
	SOURCE_WHOLE = 1 << 0,
	SOURCE_REPORTS = 1 << 1,
	SOURCE_AT_LOCK = 1 << 2,
	SOURCE_SELF_REPORTS = 1 << 3,
	SOURCE_PROG_MEMORY = 1 << 4,
	SOURCE_OPERATIONS = 1 << 5,
	SOURCE_RECORDS = 1 << 6,
};

#define RANK_PARTIAL 0 /* sees some failures, and too little of them */
#define RANK_MAX     7

/* Does a source see the failures of a program? SOON: when it has had its next look. */
enum source_cover { COVER_NO, COVER_SOON, COVER_YES };

/**
 * struct source - one way to learn of failures
 * @name: word of --source
 * @what: what it sees, for doctor
 * @rank: of two reports of one failure the one of higher rank is kept, and completed by the other;
 *        each source has its own
 * @traits: mask of enum source_trait
 * @usable: can this kernel do it? why gets the reason if not
 * @open: returns the source's state, NULL and errno on failure
 * @poll: hand everything new to session_push(); last: there will be no other call
 * @lost: failures known to be lost; *unknown is set if more may be
 * @lost_unasked: of these, those in locks that the kernel was not asked for; of sources with
 *                SOURCE_SELF_REPORTS only
 * @losses: what those were like, as far as that is known; may be NULL
 * @sees: mask of enum maplock: the locks inside maps whose failures it sees; NULL: none. Without a
 *        state as far as the kernel's types tell
 * @covers: NULL unless it sees only the programs that take part in it
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
