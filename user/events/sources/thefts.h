/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Detects that another process, of any kind, has read text of error streams and so taken it away.
 */
#ifndef RQSPIN_SOURCES_THEFTS_H
#define RQSPIN_SOURCES_THEFTS_H

#include <stdbool.h>

struct proginfos;
struct thefts;

/* NULL: reads of other processes cannot be seen here (no kprobes). */
struct thefts *thefts_open(void);
void thefts_close(struct thefts *th);

/*
 * Has another process read the stream of a program that can take locks, since the last call? th may
 * be NULL. The tool's own programs, such as doctor's, do not count.
 */
bool thefts_any(struct thefts *th, struct proginfos *progs);

#endif
