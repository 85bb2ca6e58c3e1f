/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Sleep until a BPF program is loaded or unloaded, or a time has passed. */
#ifndef RQSPIN_TRACE_WAKE_H
#define RQSPIN_TRACE_WAKE_H

struct wake;

/* Works, by time alone, where perf events are refused. */
struct wake *wake_open(void);
void wake_close(struct wake *w);
int wake_wait(struct wake *w, int ms); /* 0 also when a signal came */

#endif
