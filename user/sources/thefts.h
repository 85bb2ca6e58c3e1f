/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Text of error streams that another process, whatever it is, has read and so taken away. */
#ifndef RQSPIN_SOURCES_THEFTS_H
#define RQSPIN_SOURCES_THEFTS_H

#include <stdbool.h>

struct proginfos;
struct thefts;

/* NULL: they cannot be seen here (no kprobes). */
struct thefts *thefts_open(void);
void thefts_close(struct thefts *th);

/*
 * Since the last call: did one of them read the stream of a program that can take locks? th may be
 * NULL. The tool's own programs, such as doctor's, do not count.
 */
bool thefts_any(struct thefts *th, struct proginfos *progs);

#endif
