/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* The current CPU, its interrupts, the clock, and how a CPU spins. */
#ifndef LAB_SHIM_CONTEXT_H
#define LAB_SHIM_CONTEXT_H

#include <sched.h>

#include "config.h"
#include "compiler.h"

typedef void (*initcall_t)(void);

/* Makes per-CPU data for @nr CPUs and runs the initcalls. Call it once, first. */
void shim_init(unsigned int nr);
/* The area of all CPUs, so that a user can save and restore it. */
void *shim_area(size_t *size);

#define early_initcall(fn)                       \
	static int (*const shim_call_##fn)(void) \
		__attribute__((used, section("shim_initcalls"))) = fn

/* Preventing preemption is left to the code that pins the threads. */
#define preempt_disable() barrier()
#define preempt_enable()  barrier()

#define _RET_IP_ ((unsigned long)__builtin_return_address(0))

/* Only used for reports. */
struct shim_task {
	pid_t pid;
};

static const struct shim_task shim_task = { .pid = 1 };
#define current (&shim_task)

#ifdef SHIM_IRQ_SITES
/* Called when function @site turns interrupts off, and before they are turned on again. */
void shim_site_open(const char *site);
void shim_site_close(void);

#define local_irq_save(flags)                     \
	do {                                      \
		(flags) = shim_irq_save();        \
		if (!(flags))                     \
			shim_site_open(__func__); \
	} while (0)
#define local_irq_restore(flags)           \
	do {                               \
		if (!(flags))              \
			shim_site_close(); \
		shim_irq_restore(flags);   \
	} while (0)
#else
#define local_irq_save(flags)	 ((flags) = shim_irq_save())
#define local_irq_restore(flags) shim_irq_restore(flags)
#endif

#define vcpu_is_preempted(cpu)	 ((void)(cpu), false)
#define tick_nohz_tick_stopped() false
#define tick_nohz_full_cpu(cpu)	 ((void)(cpu), false)

#ifdef SHIM_EXTERN

int shim_cpu(void);
bool shim_in_nmi(void);
/* Returns the flags for shim_irq_restore(). */
unsigned long shim_irq_save(void);
bool shim_irqs_disabled(void);
void shim_irq_restore(unsigned long flags);
u64 shim_clock(void);
/* @addr: the word that the loop polls, or NULL */
void shim_relax(const volatile void *addr);

#define in_nmi()		 shim_in_nmi()
#define irqs_disabled()		 shim_irqs_disabled()
#define ktime_get_mono_fast_ns() shim_clock()
#define cpu_relax()		 shim_relax(NULL)
#define shim_relax_on(addr)	 shim_relax(addr)
/* Without time one pause is as good as many. */
#ifndef shim_relax_for
#define shim_relax_for(n) ((void)(n), cpu_relax())
#endif

#else

/* This thread is @cpu from now on. */
void shim_set_cpu(int cpu);

#define SHIM_TLS __thread __attribute__((tls_model("initial-exec")))

/* Set by the signal handler that plays an NMI. */
extern SHIM_TLS bool shim_nmi;
/*
 * While interrupts are off, the signal handler of an interrupt only sets shim_irq_due. When they
 * are on again, shim_irq_deliver() runs what the handler would have run.
 */
extern SHIM_TLS bool shim_irqs_off;
extern SHIM_TLS bool shim_irq_due;
extern void (*shim_irq_deliver)(void);

static __always_inline unsigned long shim_irq_save(void)
{
	unsigned long flags = shim_irqs_off;

	shim_irqs_off = true;
	barrier();
	return flags;
}

static __always_inline void shim_irq_restore(unsigned long flags)
{
	barrier();
	shim_irqs_off = flags;
	barrier();
	if (unlikely(shim_irq_due) && !flags)
		shim_irq_deliver();
}

extern u64 shim_clock_mult;
extern u64 shim_clock_base;

#define SHIM_CLOCK_SHIFT 32

static inline u64 shim_cycles(void)
{
#ifdef __x86_64__
	u32 lo, hi;

	__asm__ __volatile__("lfence; rdtsc" : "=a"(lo), "=d"(hi)::"memory");
	return (u64)hi << 32 | lo;
#else
	u64 t;

	__asm__ __volatile__("isb; mrs %0, cntvct_el0" : "=r"(t)::"memory");
	return t;
#endif
}

/* ns since shim_init() */
static inline u64 shim_clock(void)
{
	unsigned __int128 cycles = shim_cycles() - shim_clock_base;

	return cycles * shim_clock_mult >> SHIM_CLOCK_SHIFT;
}

/* Pauses after which a spinning CPU yields; 0: never. */
extern u32 shim_yield_every;
extern SHIM_TLS u32 shim_pauses;
/* Called once in every millisecond in which this CPU spins. */
extern void (*shim_on_ms)(u64 ms);
extern SHIM_TLS u64 shim_last_ms;

static inline void shim_tell_ms(void)
{
	u64 ms;

	if (!shim_on_ms)
		return;
	ms = shim_clock() / NSEC_PER_MSEC;
	if (ms == shim_last_ms)
		return;
	shim_last_ms = ms;
	shim_on_ms(ms);
}

static inline void cpu_relax(void)
{
#ifdef SHIM_YIELD
	shim_tell_ms();
	if (shim_yield_every && ++shim_pauses >= shim_yield_every) {
		shim_pauses = 0;
		sched_yield();
		return;
	}
#endif
#ifdef __x86_64__
	__asm__ __volatile__("rep; nop" ::: "memory");
#else
	__asm__ __volatile__("yield" ::: "memory");
#endif
}

/* Use the queue for virtual machines. Change it only while no lock is in use. */
extern bool shim_hybrid;
/* Steal time of this CPU's thread, ns; the lock reads it with shim_hybrid only. */
u64 shim_steal_clock(void);

#define static_key_false(key)	  (*(key))
#define paravirt_steal_enabled	  shim_hybrid
#define paravirt_steal_clock(cpu) shim_steal_clock()
#define in_nmi()		  shim_nmi
#define irqs_disabled()		  shim_irqs_off
#define ktime_get_mono_fast_ns()  shim_clock()
#define shim_relax_on(addr)	  cpu_relax()

#endif /* SHIM_EXTERN */

/* The loop polls @addr, and does something else once the clock is at @ns (0: in each round). */
#ifndef shim_relax_until
#define shim_relax_until(addr, ns) ((void)(ns), cpu_relax())
#endif

#define smp_cond_load_relaxed(ptr, cond)                                        \
	({                                                                      \
		__typeof__(ptr) __ptr = (ptr);                                  \
		__typeof__(*__ptr) VAL;                                         \
                                                                                \
		while (VAL = __atomic_load_n(__ptr, __ATOMIC_RELAXED), !(cond)) \
			shim_relax_on(__ptr);                                   \
		VAL;                                                            \
	})
#define smp_cond_load_acquire(ptr, cond)                                        \
	({                                                                      \
		__typeof__(ptr) __ptr = (ptr);                                  \
		__typeof__(*__ptr) VAL;                                         \
                                                                                \
		while (VAL = __atomic_load_n(__ptr, __ATOMIC_ACQUIRE), !(cond)) \
			shim_relax_on(__ptr);                                   \
		VAL;                                                            \
	})

#endif /* LAB_SHIM_CONTEXT_H */
