/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* A snapshot of the kernel's per-CPU tables of held locks: held.bpf.c fills it. */
#ifndef RQSPIN_HELD_H
#define RQSPIN_HELD_H

#define HELD_CPUS    1024
#define HELD_COMM    16
#define HELD_ENTRIES 31 /* size of the kernel's table; what is beyond is counted only */

/**
 * struct held_cpu - one CPU's table
 * @nr: locks held or being attempted, oldest first; may exceed HELD_ENTRIES
 * @top_word: lock word of the newest recorded lock, 0 if it could not be read
 * @locks: their addresses
 * @pid: process of the task that runs there, 0: no table entry, or not known
 * @tid: the task
 * @comm: its name
 */
struct held_cpu {
	__u32 nr;
	__u32 top_word;
	__u64 locks[HELD_ENTRIES];
	__u32 pid;
	__u32 tid;
	char comm[HELD_COMM];
};

#endif
