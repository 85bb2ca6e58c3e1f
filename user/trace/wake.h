/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Sleep until a BPF program is loaded or unloaded, or a time has passed; the names of such. */
#ifndef RQSPIN_TRACE_WAKE_H
#define RQSPIN_TRACE_WAKE_H

#include <linux/types.h>
#include <stdbool.h>
#include <stddef.h>

struct proginfos;
struct wake;

#define WAKE_NAME 16

/* Works, by time alone, where perf events are refused. */
struct wake *wake_open(void);
void wake_close(struct wake *w);
int wake_wait(struct wake *w, int ms); /* 0 also when a signal came */

/*
 * Name, as the kernel shows it, of a program that came or went lately; "" if it has none. For
 * programs that are gone before anybody could ask for them. False: no such program was noticed.
 */
bool wake_prog_name(struct wake *w, __u32 prog_id, char name[WAKE_NAME]);

/**
 * struct wake_prog - a program that came or went lately
 * @id: its id
 * @name: as the kernel shows it; "" if it has none
 * @full_name: of its function, as long as it is
 * @born_ns: when it was loaded, CLOCK_MONOTONIC; 0: before anybody listened
 * @gone_ns: when it was let go; runs that had begun go on for a while. 0: not yet
 * @starts: where its functions begin, its own first
 * @sizes: how long they are
 * @nr_funcs: of both
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

/* NULL: no such program was noticed, or too many after it. Good until the next call. */
const struct wake_prog *wake_prog_find(struct wake *w, __u32 prog_id);

/* From now on these know of programs that come and go between two looks. */
void wake_witness(struct wake *w, struct proginfos *progs);

/* The highest id of such programs until now, 0 if none was noticed. */
__u32 wake_newest_prog(struct wake *w);

/* The names in a stretch of perf records, for tests: what wake_prog_name() looks through. */
struct wake_names;

struct wake_names *wake_names_new(int nr_rings);
void wake_names_read(struct wake_names *wn, int ring, const void *records, size_t size);
bool wake_names_lost(struct wake_names *wn); /* since the last call */
__u32 wake_names_newest(const struct wake_names *wn);
const struct wake_prog *wake_names_find(struct wake_names *wn, __u32 prog_id);
void wake_names_free(struct wake_names *wn);

#endif
