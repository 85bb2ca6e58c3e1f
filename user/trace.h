/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* A tracing session: sources are polled, their reports of one failure joined, each failure handed
 * out once. */
#ifndef RQSPIN_TRACE_H
#define RQSPIN_TRACE_H

#include <linux/types.h>
#include <stdbool.h>
#include <stddef.h>

#include "rqspin/event.h"

struct heldtab;
struct locknames;
struct proginfo;
struct proginfos;
struct session;
struct source;
struct trace_filter;

#define WAIT_UNKNOWN (~0ULL)
#define HELD_UNKNOWN RQSPIN_HELD_UNKNOWN /* in nr_held and nr_owner_held */

#define CHAIN_HOPS 32

/**
 * struct failure_hop - a member of a cycle
 * @cpu: it owns the lock that the member before wants; the first is the owner of the failed one
 * @wants: the lock it waits for; the last wants one of the failing CPU's
 */
struct failure_hop {
	__u32 cpu;
	__u64 wants;
};

/**
 * struct failure - one failed acquisition, as far as it is known
 * @ev: the record; HELD_UNKNOWN and WAIT_UNKNOWN where a source cannot tell
 * @prog: the program, NULL if unknown
 * @prog_id: its id, 0 if unknown
 * @map_id: map whose own lock failed, 0 if a program's lock or unknown
 * @no_prog: it is known that no program called for the lock
 * @prog_lock: the lock is known to be a program's
 * @source: who reported it
 * @joined: a second source that added to it, or NULL
 * @sampled: @ev.kind was found by sampling the held tables during the wait
 * @told: the lock itself told kind, owner, wait, @drained and @chain: nothing of it is inferred
 * @drained: ended by the time limit of the waiter in front
 * @some_held: ev.held are some of the locks that the CPU held, there may be more
 * @some_owner_held: ev.owner_held, in the same way
 * @nr_chain: members of the cycle beside the failing CPU
 * @file: last part of the name of the file that ev.line is in, "" for the program's own
 * @report: the kernel's own text with its call trace, or the call trace, or NULL; freed with the
 *          failure
 */
struct failure {
	struct rqspin_event ev;
	const struct proginfo *prog;
	__u32 prog_id;
	__u32 map_id;
	bool no_prog;
	bool prog_lock;
	const struct source *source;
	const struct source *joined;
	bool sampled;
	bool told;
	bool drained;
	bool some_held;
	bool some_owner_held;
	__u32 nr_chain;
	struct failure_hop chain[CHAIN_HOPS];
	char file[64];
	char *report;
};

/**
 * struct source - one way to learn of failures
 * @rank: of two reports of one failure the one of higher rank is kept, and completed by the other
 * @reports: sees the kernel's reports; the first source that does is enough
 * @whole: sees every failure of the kernel's lock; only programs' own reports add to it
 * @usable: can this kernel do it? why gets the reason if not
 * @open: returns the source's state, NULL and errno on failure
 * @poll: hand everything new to session_push(); last: there will be no other call
 * @lost: failures known to be lost; *unknown is set if more may be
 */
struct source {
	const char *name;
	const char *what;
	int rank;
	bool reports;
	bool whole;
	bool (*usable)(char *why, size_t size);
	void *(*open)(struct session *s);
	void (*poll)(void *state, bool last);
	__u64 (*lost)(void *state, bool *unknown);
	void (*close)(void *state);
};

#define RANK_PARTIAL 0 /* sees some failures, and too little of them */

extern const struct source source_tracepoint, source_ring, source_trampoline, source_stream,
	source_mapops, source_contention;

/* Best first. */
extern const struct source *const trace_sources[];
extern const size_t nr_trace_sources;

typedef void (*failure_fn)(const struct failure *f, void *ctx);

/**
 * struct losses - what was not seen
 * @lost: failures known to be lost
 * @unknown: there may be more
 * @missed: programs that came and went before they could be looked at
 * @unseen: programs that take locks, and of whose failures no source here tells
 */
struct losses {
	__u64 lost;
	bool unknown;
	__u32 missed, unseen;
};

/*
 * wanted: comma-separated names that must all work; NULL or "auto": what works here.
 * filter: whose programs count as missed or unseen; lives as long as the session.
 */
struct session *session_open(const char *wanted, const struct trace_filter *filter, failure_fn emit,
			     void *ctx);
void session_close(struct session *s);

/* Wait for at most ms (less if programs come or go), then collect and hand out. */
int session_poll(struct session *s, int ms);

/* Collect once more and hand out also what waited for a second report. */
void session_drain(struct session *s);
void session_losses(struct session *s, struct losses *l);

/* "0", "at least 3 (2 programs came and went unseen)", "unknown (...)" */
#define LOSSES_TEXT 200
void losses_text(const struct losses *l, char buf[LOSSES_TEXT]);

/* Do the sources see only what programs report themselves, but for the lock's queue? */
bool session_needs_reports(const struct session *s);
/* Not allowed to find programs, so not even those that report themselves are seen. */
bool session_blind(const struct session *s);

/* "ring, trampoline" */
void session_sources(const struct session *s, char *buf, size_t size);

/* For sources. Takes over f->report. */
void session_push(struct session *s, const struct failure *reported);
struct proginfos *session_progs(struct session *s);
struct locknames *session_locks(struct session *s);
struct heldtab *session_held(struct session *s); /* NULL if this kernel's tables cannot be read */
bool session_has(const struct session *s, const struct source *src);

/* Does the program report its own failures to a ring that is being read? */
bool source_ring_covers(void *state, const struct proginfo *prog);

const char *kind_name(__u32 kind);

#endif
