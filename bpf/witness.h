/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * What the tracer's own BPF programs write down in the failing context: raw
 * facts only, user space draws the conclusions. One ring per CPU, in a
 * memory-mapped array map: no hash map, no ring buffer, no allocation, no lock.
 */
#ifndef RQSPIN_WITNESS_H
#define RQSPIN_WITNESS_H

#define WITNESS_SLOTS  256 /* per CPU; power of two */
#define WITNESS_TABLES 8   /* CPUs with locks, beside the failing one */
#define WITNESS_LOCKS  9   /* entries kept of each table: the newest */
#define WITNESS_COMM   16
#define WITNESS_TEXT   2048
#define WITNESS_HOPS   32 /* as many as the kernel's longest chain has */
#define WITNESS_STACK  48

#define WITNESS_NO_TABLE (~0U) /* in own.nr: this kernel's lock has none, or it cannot be read */

enum witness_kind {
	WITNESS_REPORT,	    /* the kernel reports a program's failure */
	WITNESS_MAP_OP,	    /* a map operation failed inside */
	WITNESS_CONTENTION, /* contention_end with an error */
	WITNESS_FAILURE,    /* rqspinlock_failure */
};

/**
 * struct witness_table - one CPU's held-lock table, as it was seen
 * @cpu: whose
 * @nr: entries it had; @locks has the newest WITNESS_LOCKS of them, oldest first
 */
struct witness_table {
	__u32 cpu;
	__u32 nr;
	__u64 locks[WITNESS_LOCKS];
};

/**
 * struct witness_hop - one step of a chain of waits
 * @lock: the lock that @cpu waits for
 * @cpu: it owns the lock of the step before
 */
struct witness_hop {
	__u64 lock;
	__u32 cpu;
	__u32 pad;
};

/**
 * struct witness_told - what the kernel's lock itself tells of a failure
 * @kind: enum rqspin_kind
 * @owner: CPU that owns the lock, -1 if the lock does not know
 * @drained: ended by the time limit of the waiter in front
 * @nr_hops: steps from the failing CPU's lock until they come back to it; @hops has the first
 *           WITNESS_HOPS of them
 * @stack_len: bytes of @stack, or a negative errno
 * @stack: return addresses, innermost first
 */
struct witness_told {
	__u32 kind;
	__s32 owner;
	__u32 drained;
	__u32 nr_hops;
	struct witness_hop hops[WITNESS_HOPS];
	__s64 stack_len;
	__u64 stack[WITNESS_STACK];
};

/**
 * struct witness - one failure, as seen from inside
 * @seq: 1 + position in this CPU's history; written last, 0 while being filled
 * @ts_ns: CLOCK_MONOTONIC
 * @lock: attempted lock (WITNESS_CONTENTION, WITNESS_FAILURE), else 0
 * @wait_ns: as the kernel measured it (WITNESS_FAILURE), else ~0
 * @kind: enum witness_kind
 * @err: negative errno, 0 if only @text has it
 * @prog_id: failing program (WITNESS_REPORT), else 0
 * @map_id: map (WITNESS_MAP_OP), else 0
 * @own: the failing CPU's table
 * @nr_tables: filled entries of @tables
 * @tables_left_out: CPUs not looked at because @tables was full
 * @tables: other CPUs that held or waited for locks
 * @text_len: bytes of @text
 * @text: pieces of the report, each with a terminating 0, in reverse order
 * @told: WITNESS_FAILURE
 */
struct witness {
	__u64 seq;
	__u64 ts_ns;
	__u64 lock;
	__u64 wait_ns;
	__u32 kind;
	__s32 err;
	__u32 cpu;
	__u32 pid;
	__u32 tid;
	__u32 prog_id;
	__u32 map_id;
	__u32 nr_tables;
	__u32 tables_left_out;
	__u32 text_len;
	char comm[WITNESS_COMM];
	struct witness_table own;
	struct witness_table tables[WITNESS_TABLES];
	union {
		char text[WITNESS_TEXT];
		struct witness_told told;
	};
};

struct witness_ring {
	__u64 head;
	__u64 pad[7];
	struct witness slots[WITNESS_SLOTS];
};

#endif
