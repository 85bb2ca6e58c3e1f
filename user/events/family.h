/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* The family of a command: the tasks that it starts, and the programs that these tasks load. */
#ifndef RQSPIN_TRACE_FAMILY_H
#define RQSPIN_TRACE_FAMILY_H

#include <linux/types.h>
#include <stdbool.h>
#include <stddef.h>

struct failure;
struct family;

/*
 * To be called by the thread that then starts the command: the family is all tasks that it starts,
 * and that these start in turn. NULL and errno: perf events are refused, or out of memory.
 */
struct family *family_open(void);
void family_close(struct family *fy);

/*
 * Reads new records. To be called before family_has() and family_has_prog(), and now and then, so
 * that no record is lost. Returns how many starts and loads were lost until now.
 */
unsigned long long family_read(struct family *fy);

/*
 * False if we are in a PID namespace of our own: task ids in the records are then not those of
 * failures. Then only programs decide what belongs to the family.
 */
bool family_by_tasks(const struct family *fy);

/* Did the failure happen in a program of the family, or in one of its tasks? */
bool family_has(const struct family *fy, const struct failure *f);

/* The same if only the program is known. */
bool family_has_prog(const struct family *fy, __u32 prog_id);

/* For tests: a family without rings, and records in memory. */
struct family *family_new(__u32 own_pid);
void family_read_records(struct family *fy, const void *records, size_t size);

#endif
