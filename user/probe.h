/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * What this kernel can do, found out by doing it; never by its version.
 * Each question is asked once and remembered. Not thread safe.
 */
#ifndef RQSPIN_PROBE_H
#define RQSPIN_PROBE_H

#include <stdbool.h>

bool probe_privilege(void);  /* may this process load BPF programs at all? */
bool probe_btf(void);	     /* the kernel's own type information */
bool probe_kfuncs(void);     /* all four lock kfuncs: a program that uses them loads */
bool probe_local_irq(void);  /* bpf_local_irq_save/restore */
bool probe_stream(void);     /* text written to a program's error stream comes back */
bool probe_trampoline(void); /* fentry and fexit load and attach */
bool probe_contention(void); /* tp_btf/contention_begin and _end attach */
bool probe_kprobe(void);     /* a kprobe program attaches */
bool probe_held_table(void); /* per-CPU rqspinlock_held_locks is readable */
bool probe_tracepoint(void); /* rqspinlock:rqspinlock_failure exists (patched kernel) */

/* Why the last answer to that question was no ("" if it was yes); one line, no full stop. */
enum probe_id {
	PROBE_PRIVILEGE,
	PROBE_BTF,
	PROBE_KFUNCS,
	PROBE_LOCAL_IRQ,
	PROBE_STREAM,
	PROBE_TRAMPOLINE,
	PROBE_CONTENTION,
	PROBE_KPROBE,
	PROBE_HELD_TABLE,
	PROBE_TRACEPOINT,
	PROBE_NR,
};

bool probe(enum probe_id id);
const char *probe_why(enum probe_id id);

#endif
