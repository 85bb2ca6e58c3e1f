/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* BPF programs that come and go, by the kernel's side-band records (perf_event_open(2)). */
#ifndef RQSPIN_TRACE_WAKE_NAMES_H
#define RQSPIN_TRACE_WAKE_NAMES_H

#include <linux/types.h>
#include <stdbool.h>
#include <stddef.h>

#define WAKE_NAME 16

/**
 * struct wake_prog - a program that came or went lately
 * @id: its id
 * @name: the kernel's short name; "" if it has none
 * @full_name: name of its function, not truncated; NULL: its symbols were not seen
 * @born_ns: when it was loaded, CLOCK_MONOTONIC; 0: before the rings were open
 * @gone_ns: when it was released; runs that began before go on for a while. 0: not yet
 * @starts: start of each of its functions, the main one first
 * @sizes: size of each function
 * @nr_funcs: entries of @starts and @sizes
 */
struct wake_prog {
	__u32 id;
	char name[WAKE_NAME];
	char *full_name;
	__u64 born_ns, gone_ns;
	__u64 *starts;
	__u32 *sizes;
	__u32 nr_funcs;
};

struct wake_names;

/*
 * nr_rings: number of CPUs with a ring. The records of a program follow each other only within one
 * ring.
 */
struct wake_names *wake_names_new(int nr_rings);
void wake_names_free(struct wake_names *wn);
void wake_names_read(struct wake_names *wn, int ring, const void *records, size_t size);

/*
 * A program among the latest ones. NULL: it was not noticed, or too many came after it. Valid until
 * the next record.
 */
struct wake_prog *wake_names_noticed(struct wake_names *wn, __u32 prog_id);
/* The same, but only a program whose name is known. */
const struct wake_prog *wake_names_find(struct wake_names *wn, __u32 prog_id);
__u32 wake_names_newest(const struct wake_names *wn);
bool wake_names_lost(struct wake_names *wn); /* have records been lost since the last call? */

#endif
