/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * What this kernel can do, found out by trying it; never by its version. Each question is asked
 * once and remembered. Not thread safe.
 */
#ifndef RQSPIN_KERNEL_PROBE_H
#define RQSPIN_KERNEL_PROBE_H

#include <stdbool.h>
#include <stdint.h>

enum probe_id {
	PROBE_PRIVILEGE,    /* this process may load BPF programs at all */
	PROBE_BTF,	    /* the kernel's own type information */
	PROBE_KFUNCS,	    /* a program that uses the four lock kfuncs loads and locks */
	PROBE_LOCAL_IRQ,    /* bpf_local_irq_save/restore */
	PROBE_UNLOCK_OOO,   /* bpf_res_spin_unlock_ooo (our series) */
	PROBE_STREAM,	    /* text written to a program's error stream comes back */
	PROBE_TRAMPOLINE,   /* fentry and fexit attach and are called */
	PROBE_CONTENTION,   /* tp_btf/contention_begin and _end attach */
	PROBE_KPROBE,	    /* a kprobe program attaches */
	PROBE_HELD_TABLE,   /* per-CPU rqspinlock_held_locks is readable */
	PROBE_TRACEPOINT,   /* rqspinlock:rqspinlock_failure exists (our series) */
	PROBE_RES_LOCKS,    /* the kernel has resilient locks, for its maps or for programs */
	PROBE_OTHER_TASKS,  /* other CPUs' run queues can be found */
	PROBE_MAP_ELEMENTS, /* iterators over a map's elements load */
	PROBE_NR,
};

bool probe_works(enum probe_id id);
bool probe_known(enum probe_id id); /* false: unknown, since this user may not try it */

/* Why the answer is no ("" if it is yes); one line without a full stop. */
const char *probe_why(enum probe_id id);

static inline bool probe_privilege(void)
{
	return probe_works(PROBE_PRIVILEGE);
}

/* As probe_privilege(), and prints the reason if not. */
bool probe_allowed(void);

static inline bool probe_kfuncs(void)
{
	return probe_works(PROBE_KFUNCS);
}

/*
 * Time in ns from an AA attempt to its error. 0 if it cannot be measured. Causes some failed
 * acquisitions. with_report: the time includes the kernel's report, and the two cannot be
 * separated.
 */
uint64_t probe_aa_ns(bool *with_report);

#endif
