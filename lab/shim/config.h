/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Options of the shim's user:
 *
 * SHIM_EXTERN          the current CPU, the clock, NMI context and the pause of a spinning CPU
 *                      are functions of the user (context.h), not of the shim
 * SHIM_YIELD           a spinning CPU yields after shim_yield_every pauses, so that many of them
 *                      fit on one CPU of this machine, and calls shim_on_ms() once in each
 *                      millisecond in which it spins
 * SHIM_IRQ_SITES       call functions of the user where interrupts are turned off and on again
 * SHIM_LOCK_EVENTS     count the kernel's lock events
 * SHIM_NO_QUEUE        as on an architecture without queued spin locks
 * CONFIG_NR_CPUS       the most CPUs; 16384 and more make the pending byte a bit
 */
#ifndef LAB_SHIM_CONFIG_H
#define LAB_SHIM_CONFIG_H

#ifndef CONFIG_NR_CPUS
#define CONFIG_NR_CPUS 512
#endif
#define NR_CPUS CONFIG_NR_CPUS

#ifndef SHIM_NO_QUEUE
#define CONFIG_QUEUED_SPINLOCKS 1
#endif
#ifdef SHIM_LOCK_EVENTS
#define CONFIG_LOCK_EVENT_COUNTS 1
#endif
#define CONFIG_SMP   1
#define CONFIG_64BIT 1

/*
 * Steal time of virtual CPUs. With SHIM_EXTERN, the clock is that of the user, without steal time.
 */
#ifndef SHIM_EXTERN
#define CONFIG_PARAVIRT 1
#endif

/* Per-CPU accesses through %gs, as in the kernel; sanitizers cannot follow them. */
#if defined(__x86_64__) && !defined(SHIM_EXTERN) && !defined(__SANITIZE_THREAD__)
#define SHIM_SEG_GS 1
#endif

#endif /* LAB_SHIM_CONFIG_H */
