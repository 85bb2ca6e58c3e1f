/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Sleeps until a BPF program is loaded or unloaded, or a time has passed. Keeps the names of such
 * programs.
 */
#ifndef RQSPIN_TRACE_WAKE_H
#define RQSPIN_TRACE_WAKE_H

#include <linux/types.h>
#include <stdbool.h>

#include "events/wake_names.h"

struct proginfos;
struct wake;

/* If perf events are refused, only time ends a sleep. NULL: no memory. */
struct wake *wake_open(void);
void wake_close(struct wake *w);
int wake_wait(struct wake *w, int ms); /* 0 also when a signal came */

/*
 * The kernel's short name of a program that came or went lately; "" if it has none. For programs
 * that are gone before they could be read. False: no such program was noticed.
 */
bool wake_prog_name(struct wake *w, __u32 prog_id, char name[WAKE_NAME]);

/* From now on progs gets data about programs that come and go between two looks. */
void wake_witness(struct wake *w, struct proginfos *progs);

/* The highest id of a program noticed until now, 0 if there was none. */
__u32 wake_newest_prog(struct wake *w);

#endif
