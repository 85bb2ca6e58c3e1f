/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* One failed acquisition, as the sources report it and as it is shown. */
#ifndef RQSPIN_TRACE_FAILURE_H
#define RQSPIN_TRACE_FAILURE_H

#include <linux/types.h>
#include <stdbool.h>

#include "rqspin/event.h"

struct proginfo;
struct source;

#define WAIT_UNKNOWN (~0ULL)
#define HELD_UNKNOWN RQSPIN_HELD_UNKNOWN /* in nr_held and nr_owner_held */

#define CHAIN_HOPS 32

/**
 * struct failure_hop - a member of a cycle
 * @cpu: its CPU, which owns the lock that the previous member wants; the first member owns the
 * failed lock
 * @tid: thread that ran there when its wait began, 0 if unknown
 * @wants: the lock it waits for; the last member wants a lock of the failing CPU
 * @at: address of the call for that lock; 0 if unknown
 */
struct failure_hop {
	__u32 cpu;
	__u32 tid;
	__u64 wants;
	__u64 at;
};

/**
 * struct failure_task - what ran on a CPU
 * @known: false: the other members are not valid
 * @pid: process, 0 also if unknown
 * @tid: thread
 * @comm: its name, "" if unknown
 */
struct failure_task {
	bool known;
	__u32 pid, tid;
	char comm[RQSPIN_EVENT_NAME];
};

/**
 * struct failure - one failed acquisition, as far as it is known
 * @ev: the record; HELD_UNKNOWN and WAIT_UNKNOWN for data that the source does not have
 * @prog: the program, NULL if unknown
 * @prog_id: its id, 0 if unknown
 * @map_id: map whose own lock failed, 0 if a program's lock or unknown
 * @returned: errno that the map operation returned, 0 if there was none or it is unknown
 * @waited: it is no failure, but a long wait that ended well: wait_ns of @ev
 * @no_prog: it is known that no program called for the lock
 * @prog_lock: the lock is known to be a program's
 * @unasked: the kernel was not asked for the lock, so only the program itself reports the failure
 * @owner: what ran on the owner's CPU when the acquisition failed
 * @source: the source that reported it
 * @joined: a second source that added to it, or NULL
 * @sampled: @ev.kind was found by sampling the held tables during the wait
 * @told: the lock itself reported kind, owner, wait and @chain: none of them is inferred
 * @some_held: ev.held are only some of the locks that the CPU held: there may be more
 * @some_owner_held: the same for ev.owner_held
 * @nr_chain: members of the cycle beside the failing CPU
 * @file: last part of the name of the file with ev.line, "" for the program's own file
 * @report_line: ev.line is where the program reported the failure, not where it called for the lock
 * @report: the kernel's own text with its call trace, or the call trace, or NULL; freed with the
 * failure
 */
struct failure {
	struct rqspin_event ev;
	const struct proginfo *prog;
	__u32 prog_id;
	__u32 map_id;
	__u32 returned;
	bool waited;
	bool no_prog;
	bool prog_lock;
	bool unasked;
	struct failure_task owner;
	const struct source *source;
	const struct source *joined;
	bool sampled;
	bool told;
	bool some_held;
	bool some_owner_held;
	bool report_line;
	__u32 nr_chain;
	struct failure_hop chain[CHAIN_HOPS];
	char file[64];
	char *report;
};

typedef void (*failure_fn)(const struct failure *f, void *ctx);

const char *kind_name(__u32 kind);

/* The failing task owns the lock. */
void failure_owner_self(struct failure *f);

#endif
