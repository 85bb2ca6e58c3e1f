/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * The record of one failed lock acquisition, shared by BPF programs that
 * report their own failures, by the tracer's BPF objects and by user space.
 * Include vmlinux.h (BPF) or <linux/types.h> (user space) first.
 */
#ifndef RQSPIN_EVENT_H
#define RQSPIN_EVENT_H

#define RQSPIN_EVENT_HELD   8 /* held locks kept per side */
#define RQSPIN_EVENT_NAME   16
#define RQSPIN_EVENT_FILE   32
#define RQSPIN_HELD_UNKNOWN (~0U)	/* in nr_held: the table could not be read */
#define RQSPIN_RING_SITES   64		/* power of two */
#define RQSPIN_RING_GROUPS  512		/* power of two */
#define RQSPIN_TID_UNKNOWN  (~0U)	/* in owner_tid */
#define RQSPIN_WAIT_UNKNOWN (~0ULL)	/* in wait_ns */
#define RQSPIN_WAIT_UNASKED (~0ULL - 1) /* in wait_ns, see rqspin_event.wait_ns */
#define RQSPIN_RING_LAYOUT  5		/* changes when a struct below does */

/* Section name prefix of the headers' own memory, which is initialized with zeroes. */
#ifndef RQSPIN_ZEROED
#define RQSPIN_ZEROED ".bss"
#endif

/* For longer bursts define a higher power of two before including this: 280 bytes an event. */
#ifndef RQSPIN_RING_EVENTS
#define RQSPIN_RING_EVENTS 4096
#endif

/**
 * enum rqspin_kind - why an acquisition failed
 * @RQSPIN_UNKNOWN: the source of the event does not determine the kind
 * @RQSPIN_AA: this CPU holds the attempted lock itself
 * @RQSPIN_ABBA: the owner waits for a lock this CPU holds
 * @RQSPIN_CYCLE: a cycle of three or more CPUs (see @parties)
 * @RQSPIN_TIMEOUT: the owner did not release in time
 * @RQSPIN_NESTED: this context must not wait: no queue node, a nested NMI, or (fallback) an
 *                interrupt that wants a lock held by a preempted task of its CPU
 */
enum rqspin_kind {
	RQSPIN_UNKNOWN,
	RQSPIN_AA,
	RQSPIN_ABBA,
	RQSPIN_CYCLE,
	RQSPIN_TIMEOUT,
	RQSPIN_NESTED,
};

/**
 * struct rqspin_event - one failed acquisition
 * @seq: 1 + position in the ring's history; written last, 0 while being filled
 * @ts_ns: CLOCK_MONOTONIC when the scope was entered (no clock can be read
 *         while a lock is held)
 * @wait_ns: time spent waiting, or RQSPIN_WAIT_UNKNOWN. In a program's own ring: unknown if the
 *           kernel was asked for the lock, RQSPIN_WAIT_UNASKED for a lock in an arena (not the
 *           kernel's, and the time is not known), 0 for a pair of one lock, and known otherwise
 * @lock: address of the attempted lock
 * @owner_wants: address of the lock the owner waits for, 0 if none or unknown
 * @err: negative errno the acquisition returned
 * @kind: enum rqspin_kind
 * @parties: CPUs in the cycle (1 for AA, 2 for ABBA), 0 if unknown
 * @cpu: CPU the acquisition failed on
 * @owner_cpu: CPU that owns @lock, -1 if unknown
 * @pid: thread group id of the current task
 * @tid: thread id of the current task
 * @line: source line of the failing call (of the report if @file is empty), 0 if unknown
 * @nr_held: locks this CPU held; only the first RQSPIN_EVENT_HELD are in @held;
 *           RQSPIN_HELD_UNKNOWN if that is not known
 * @nr_owner_held: locks the owner held, as @nr_held
 * @owner_tid: thread that owns @lock (fallback lock, AA), else RQSPIN_TID_UNKNOWN
 * @group: 1 + index of the group that counts this event, 0 if it is counted in @others of the ring
 * @held: addresses of the locks held by this CPU, oldest first
 * @owner_held: addresses of the locks held by the owner, oldest first
 * @comm: current task's name
 * @prog: name of the failing BPF program's function
 * @file: last part of the name of the failing call's source file, cut to fit
 */
struct rqspin_event {
	__u64 seq;
	__u64 ts_ns;
	__u64 wait_ns;
	__u64 lock;
	__u64 owner_wants;
	__s32 err;
	__u32 kind;
	__u32 parties;
	__u32 cpu;
	__s32 owner_cpu;
	__u32 pid;
	__u32 tid;
	__u32 line;
	__u32 nr_held;
	__u32 nr_owner_held;
	__u32 owner_tid;
	__u32 group;
	__u64 held[RQSPIN_EVENT_HELD];
	__u64 owner_held[RQSPIN_EVENT_HELD];
	char comm[RQSPIN_EVENT_NAME];
	char prog[RQSPIN_EVENT_NAME];
	char file[RQSPIN_EVENT_FILE];
};

/**
 * struct rqspin_site - a failing lock call, kept until the program reports the failure
 * @seq: 1 + position in the history of sites; written last, 0 while being filled
 * @frame: address of the stack frame of the failing call
 * @lock: address of the attempted lock
 * @line: source line of the failing call
 * @file: last part of the name of the call's source file, cut to fit
 */
struct rqspin_site {
	__u64 seq;
	__u64 frame;
	__u64 lock;
	__u32 line;
	char file[RQSPIN_EVENT_FILE];
	__u32 pad;
};

/**
 * struct rqspin_group - a count of similar failures
 * @key: hash of the properties they share, 0 if the group is not in use
 * @count: number of failures
 * @ready: the fields below are complete
 * @lock: address of the attempted lock
 * @ts_ns: time of the first failure, as in its event
 * @err: negative errno
 * @kind: enum rqspin_kind
 * @parties: as in the events
 * @cpu: CPU the acquisitions failed on
 * @line: source line, as in the events
 * @unasked: 1 if the kernel was not asked for the lock (the fallback, a pair of one lock), so that
 *           only the program reports the failure
 * @prog: name of the failing BPF program's function
 * @file: source file, as in the events
 */
struct rqspin_group {
	__u64 key;
	__u64 count;
	__u64 ready;
	__u64 lock;
	__u64 ts_ns;
	__s32 err;
	__u32 kind;
	__u32 parties;
	__u32 cpu;
	__u32 line;
	__u32 unasked;
	char prog[RQSPIN_EVENT_NAME];
	char file[RQSPIN_EVENT_FILE];
};

/**
 * struct rqspin_ring - multi-producer event ring in a memory-mapped global
 * @head: events ever reserved; a writer takes slot (old head) % RQSPIN_RING_EVENTS
 * @held_delta: bytes from a CPU's "runqueues" to its "rqspinlock_held_locks",
 *              written by whoever loads or traces the program (from the section
 *              .data..percpu of the kernel's BTF); 0 = unknown. Kernels without
 *              CONFIG_KALLSYMS_ALL resolve neither variable by __ksym, but
 *              current->se.cfs_rq->rq is the first one's address.
 * @layout: RQSPIN_RING_LAYOUT of the headers that the program was compiled with, written before the
 *          first event; readers built for another layout do not read the ring
 * @groups_used: number of @groups in use
 * @others: failures for which @groups had no room
 * @others_unasked: part of @others: failures of locks that the kernel was not asked for
 * @site_head: sites ever reserved
 * @sites: the last RQSPIN_RING_SITES failing calls; the program's own, not for readers
 * @slots: the last RQSPIN_RING_EVENTS events; readers derive the number from the map's size
 * @groups: every failure is counted in one of them, by CPU, program, lock, kind, line and whether
 *          the kernel was asked. There is one table for all CPUs, as their number is not known
 *          at compile time. It is last because clang generates worse code for slots more than
 *          32 KiB from the beginning, and the verifier may give up on that code
 *
 * A reader that has consumed n events and finds @head > n + RQSPIN_RING_EVENTS
 * has lost exactly @head - n - RQSPIN_RING_EVENTS of them. @groups shows
 * which: a group has lost its count less the events that refer to it. All counts and
 * @others add up to @head while no failure is being recorded. Writing needs no helper
 * call and no lock, so a program may do it while it holds locks.
 */
struct rqspin_ring {
	__u64 head;
	__s64 held_delta;
	__u32 layout;
	__u32 groups_used;
	__u64 others;
	__u64 others_unasked;
	__u64 pad[3];
	__u64 site_head;
	struct rqspin_site sites[RQSPIN_RING_SITES];
	struct rqspin_event slots[RQSPIN_RING_EVENTS];
	struct rqspin_group groups[RQSPIN_RING_GROUPS];
};

#endif /* RQSPIN_EVENT_H */
