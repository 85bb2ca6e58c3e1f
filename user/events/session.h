/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * A tracing session: sources are polled, their reports of one failure joined, and each failure
 * handed out once.
 */
#ifndef RQSPIN_TRACE_SESSION_H
#define RQSPIN_TRACE_SESSION_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "events/failure.h"
#include "events/losses.h"

struct heldtab;
struct locknames;
struct proginfos;
struct session;
struct source;
struct trace_filter;

#define SESSION_BUFFER	   (8UL << 20) /* default; 16384 failures per CPU */
#define SESSION_BUFFER_MIN (64UL << 10)
#define SESSION_BUFFER_MAX (1UL << 30)

/**
 * struct session_tuning - how much is kept of failures
 * @buffer: bytes per CPU for failures that have not been read yet
 * @stacks: keep the stack, or the kernel's own report, of each failure
 * @pin: folder of bpffs in which a source pins the objects that go on when the session ends, or
 * NULL
 * @pinned: such a folder, of an earlier session, or NULL. Its records are the session's only input,
 * with those still in programs' own rings
 * @waits: a source of long waits to use as well, or NULL; they are handed out like failures
 * @longer_ns: a wait is long if it lasts longer
 * @newest_map: id of the newest map when @pinned was made
 */
struct session_tuning {
	uint64_t buffer;
	bool stacks;
	const char *pin;
	const char *pinned;
	const struct source *waits;
	__u64 longer_ns;
	__u32 newest_map;
};

/*
 * table: all sources, best first, NULL at the end. wanted: comma-separated names of sources that
 * must all work; NULL or "auto": all useful ones that work here. filter: selects the programs that
 * count as missed or unseen. filter and tuning must live as long as the session.
 */
struct session *session_open(const struct source *const *table, const char *wanted,
			     const struct trace_filter *filter, const struct session_tuning *tuning,
			     failure_fn emit, void *ctx);
void session_close(struct session *s);

/* Waits for at most ms (less if programs come or go), then collects and hands out failures. */
int session_poll(struct session *s, int ms);

/* Collects once more, and also hands out failures that waited for a second report. */
void session_drain(struct session *s);
void session_losses(struct session *s, struct losses *l);
/* Waits known to be lost; *unknown is set if there may be more. */
__u64 session_lost_waits(const struct session *s, bool *unknown);
/*
 * Passes the lost failures to fn in groups: the size of a group, and a failure like it. The sum is
 * that of session_losses().
 */
void session_lost_each(struct session *s, loss_fn fn, void *ctx);

/* Apart from failures in the lock's queue, do the sources see only self-reports of programs? */
bool session_needs_reports(const struct session *s);
/* True if programs cannot be listed, so that not even self-reports are seen. */
bool session_blind(const struct session *s);

/*
 * Mask of enum maplock: resilient locks inside this kernel's maps that no source of the session
 * sees.
 */
unsigned int session_blind_locks(const struct session *s);

/* "ring, trampoline" */
void session_sources(const struct session *s, char *buf, size_t size);

/* For sources. Takes ownership of reported->report. */
void session_push(struct session *s, const struct failure *reported);
const struct session_tuning *session_tuning(const struct session *s);
struct proginfos *session_progs(struct session *s);
struct locknames *session_locks(struct session *s);
struct heldtab *session_held(struct session *s); /* NULL if this kernel's tables cannot be read */

#endif
