/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* What a command is to blame for: the tasks that it starts, and the programs that these load. */
#ifndef RQSPIN_TRACE_FAMILY_H
#define RQSPIN_TRACE_FAMILY_H

#include <linux/types.h>
#include <stdbool.h>
#include <stddef.h>

struct failure;
struct family;

/*
 * To be called by the thread that then starts the command: what it starts, and what that starts, is
 * the family. NULL: perf events are refused, and errno is set.
 */
struct family *family_open(void);
void family_close(struct family *fy);

/*
 * To be called before the next two are asked, and now and then, so that nothing is lost. Returns
 * how many starts and loads were lost until now.
 */
unsigned long long family_read(struct family *fy);

/*
 * False: the kernel tells us other ids of tasks than failures have, since we are in a PID namespace
 * of our own. Then only programs say what is of the family.
 */
bool family_by_tasks(const struct family *fy);

/* Was it in one of its programs, or in one of its tasks? */
bool family_has(const struct family *fy, const struct failure *f);

/* The same if only the program is known. */
bool family_has_prog(const struct family *fy, __u32 prog_id);

/* A stretch of perf records, for tests. */
struct family *family_new(__u32 own_pid);
void family_read_records(struct family *fy, const void *records, size_t size);

#endif
