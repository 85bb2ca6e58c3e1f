/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * What the tracer's own BPF programs write down in the failing context: raw facts only, user space
 * draws the conclusions. Everything is in memory-mapped arrays with a part for each CPU: no hash
 * map, no ring buffer, no allocation, no lock.
 *
 * A failure is a small record in its CPU's ring. What takes more room (report text, the tables of
 * other CPUs, stacks) goes to a second, shorter ring, so a burst costs details before it costs
 * failures. Each failure is also counted in a table of its CPU, by what it has in common with
 * others; so the sums stay exact when the ring overflows.
 */
#ifndef RQSPIN_WITNESS_H
#define RQSPIN_WITNESS_H

#include "held.h"

#define WITNESS_TABLES 8 /* CPUs with locks, beside the failing one */
#define WITNESS_LOCKS  9 /* entries kept of each table: the newest */
#define WITNESS_NEWEST 4 /* of these, entries kept in the small record */
#define WITNESS_COMM   16
#define WITNESS_TEXT   2048
#define WITNESS_HOPS   32  /* as many as the kernel's longest chain has */
#define WITNESS_FRAMES 20  /* return addresses in the small record */
#define WITNESS_STACK  48  /* and in the details */
#define WITNESS_GROUPS 512 /* per CPU; power of two */
#define WITNESS_NAMED  8   /* locks of a failure whose names are kept; power of two */
#define WITNESS_STEPS  4   /* from a map's value to a lock; power of two */
#define WITNESS_STEP   32
#define WITNESS_KEY    16 /* bytes of a hash key */
#define WITNESS_PROG   64
#define WITNESS_FILE   192

#define WITNESS_NO_TABLE (~0U) /* in nr_own: this kernel's lock has none, or it cannot be read */
#define WITNESS_NO_TASK	 (~0U)

enum witness_kind {
	WITNESS_REPORT,	    /* the kernel reports a program's failure */
	WITNESS_MAP_OP,	    /* a map operation failed inside */
	WITNESS_CONTENTION, /* contention_end with an error */
	WITNESS_FAILURE,    /* rqspinlock_failure */
	WITNESS_WAIT,	    /* no failure: a long wait for a lock that was acquired */
};

/**
 * struct witness_shape - what the programs are told before they are loaded
 * @slots: small records per CPU
 * @details: places for details per CPU
 * @want_stacks: keep the whole stack of each failure
 * @want_names: keep what program and locks are called
 * @ring_of: 1 + the index of a CPU's part, 0 for a CPU that has none
 * @rq_addr: of each CPU's run queue, 0 if unknown
 */
struct witness_shape {
	__u32 slots;
	__u32 details;
	__u32 want_stacks;
	__u32 want_names;
	__u16 ring_of[HELD_CPUS];
	__u64 rq_addr[HELD_CPUS];
};

/**
 * struct witness_head - how far one CPU has come; the first one is of CPUs without a part
 * @head: small records ever reserved
 * @details: places for details ever reserved
 * @groups: groups in use
 * @others: failures that found no place in the CPU's table of groups
 * @unsure: of the first one: events that may have been failures
 */
struct witness_head {
	__u64 head;
	__u64 details;
	__u64 groups;
	__u64 others;
	__u64 unsure;
	__u64 pad[3];
};

/**
 * struct witness - one failure, as seen from inside
 * @seq: 1 + position in this CPU's history; written last, 0 while being filled
 * @ts_ns: CLOCK_MONOTONIC
 * @lock: attempted lock, 0 if unknown (WITNESS_MAP_OP)
 * @wait_ns: as the kernel measured it (WITNESS_FAILURE), from one tracepoint to the other
 *           (WITNESS_WAIT), else ~0
 * @details: 1 + position of its details in this CPU's history of them, 0 if it has none
 * @err: negative errno
 * @cpu: where it failed
 * @pid: process
 * @tid: thread
 * @prog_id: failing program (WITNESS_REPORT), else 0
 * @map_id: map (WITNESS_MAP_OP), else 0
 * @comm: the task's name
 * @kind: enum witness_kind
 * @told: enum rqspin_kind: what the lock says, or what the own table shows
 * @returned: errno that the operation returned (WITNESS_MAP_OP), else 0
 * @owner: CPU that owns the lock, -1 if unknown (WITNESS_FAILURE)
 * @group: 1 + index of the group it is counted in, 0 if it is one of the others
 * @nr_own: entries of the failing CPU's table, or WITNESS_NO_TABLE
 * @nr_hops: steps from the failing CPU's lock until they come back to it (WITNESS_FAILURE)
 * @locks: the newest WITNESS_NEWEST of the own table, oldest first. WITNESS_FAILURE: the lock that
 *         the owner waits for, and the one of this CPU that closes the circle
 */
struct witness {
	__u64 seq;
	__u64 ts_ns;
	__u64 lock;
	__u64 wait_ns;
	__u64 details;
	__s32 err;
	__u32 cpu;
	__u32 pid;
	__u32 tid;
	__u32 prog_id;
	__u32 map_id;
	char comm[WITNESS_COMM];
	__u8 kind;
	__u8 told;
	__u16 returned;
	__s16 owner;
	__u16 group;
	__u32 nr_own;
	__u32 nr_hops;
	__u64 locks[WITNESS_NEWEST];
};

/**
 * struct witness_task - what runs on a CPU
 * @pid: process, WITNESS_NO_TASK if that could not be read
 * @tid: thread
 * @comm: its name
 */
struct witness_task {
	__u32 pid;
	__u32 tid;
	char comm[WITNESS_COMM];
};

/**
 * struct witness_hop - one step of a chain of waits
 * @lock: the lock that @cpu waits for
 * @ip: who asked for it, 0 if the kernel does not tell
 * @cpu: it owns the lock of the step before
 * @tid: thread that ran there when the wait began, 0 if unknown
 */
struct witness_hop {
	__u64 lock;
	__u64 ip;
	__u32 cpu;
	__u32 tid;
};

/**
 * struct witness_told - WITNESS_FAILURE, WITNESS_WAIT: with the stack that leads to the program
 * @w: must be first
 * @owner: what runs on the owner's CPU
 * @first: where the owner waits, if that is part of a cycle
 * @stack_len: bytes of @stack, or a negative errno
 * @stack: return addresses, innermost first
 */
struct witness_told {
	struct witness w;
	struct witness_task owner;
	struct witness_hop first;
	__s64 stack_len;
	__u64 stack[WITNESS_FRAMES];
};

/**
 * struct witness_table - one CPU's held-lock table, as it was seen
 * @cpu: whose
 * @nr: entries it had; @locks has the newest WITNESS_LOCKS of them, oldest first
 * @task: what ran there
 */
struct witness_table {
	__u32 cpu;
	__u32 nr;
	__u64 locks[WITNESS_LOCKS];
	struct witness_task task;
};

/**
 * struct witness_tables - details: who else held or waited for locks
 * @seq: the record's; 0 while being filled
 * @nr_tables: filled entries of @tables
 * @tables_left_out: CPUs not looked at because @tables was full
 * @own: the failing CPU's table
 * @tables: other CPUs that held or waited for locks
 */
struct witness_tables {
	__u64 seq;
	__u32 nr_tables;
	__u32 tables_left_out;
	struct witness_table own;
	struct witness_table tables[WITNESS_TABLES];
};

/**
 * struct witness_report - details of WITNESS_REPORT
 * @t: must be first
 * @text_len: bytes of @text
 * @cut: the kernel has left pieces out
 * @text: the report's first pieces, each with a terminating 0
 */
struct witness_report {
	struct witness_tables t;
	__u32 text_len;
	__u32 cut;
	char text[WITNESS_TEXT];
};

/**
 * struct witness_chain - details of WITNESS_FAILURE, and of WITNESS_WAIT without @hops
 * @seq: the record's; 0 while being filled
 * @stack_len: bytes of @stack, or a negative errno
 * @stack: return addresses, innermost first
 * @hops: the first WITNESS_HOPS of them
 */
struct witness_chain {
	__u64 seq;
	__s64 stack_len;
	__u64 stack[WITNESS_STACK];
	struct witness_hop hops[WITNESS_HOPS];
};

/**
 * struct witness_step - one name on the way from a map's value to a lock
 * @name: of a variable or member, cut to fit
 * @index: element of it, -1 if it is no array
 */
struct witness_step {
	char name[WITNESS_STEP];
	__s32 index;
};

/**
 * struct witness_lock - a lock, as it was when the failure happened
 * @addr: where
 * @index: of the map's element, bucket ...
 * @map_id: map that it is in
 * @map_type: its type
 * @part: enum mapaddr_part: what of the map it is in
 * @rest: bytes from the last of @steps to the lock
 * @nr_steps: used entries of @steps
 * @whole: @steps lead up to the lock
 * @key_size: bytes of the element's key, 0: it has none
 * @map: the map's name
 * @key: the first WITNESS_KEY bytes of the key
 * @steps: names of the map's author
 */
struct witness_lock {
	__u64 addr;
	__u64 index;
	__u32 map_id;
	__u32 map_type;
	__u32 part;
	__u32 rest;
	__u32 nr_steps;
	__u32 whole;
	__u32 key_size;
	__u32 pad;
	char map[16];
	__u8 key[WITNESS_KEY];
	struct witness_step steps[WITNESS_STEPS];
};

/**
 * struct witness_names - what is called how in the record of the same place, for recorders
 * @seq: the record's; 0 while being filled
 * @start: code of the program's function that failed
 * @end: where that ends
 * @prog_id: the program, 0: none, or unknown
 * @line: of its source, 0 if unknown
 * @nr_locks: used entries of @locks
 * @map_type: of the map whose operation failed (WITNESS_MAP_OP)
 * @map: its name
 * @prog: the program's name
 * @file: name of the file that @line is in
 * @locks: those of the record that are in maps of the program
 */
struct witness_names {
	__u64 seq;
	__u64 start;
	__u64 end;
	__u32 prog_id;
	__u32 line;
	__u32 nr_locks;
	__u32 map_type;
	char map[16];
	char prog[WITNESS_PROG];
	char file[WITNESS_FILE];
	struct witness_lock locks[WITNESS_NAMED];
};

/**
 * struct witness_group - failures that are alike, counted
 * @key: of what they have in common, 0: not in use
 * @count: how many there were
 * @ready: the record of the first of them, which follows, is complete
 */
struct witness_group {
	__u64 key;
	__u64 count;
	__u64 ready;
};

#endif
