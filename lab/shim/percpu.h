/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Per-CPU data. The linker collects the variables in a section, which is the template; every
 * CPU has a copy of it at shim_offset[cpu], and %gs holds that offset where SHIM_SEG_GS is set.
 */
#ifndef LAB_SHIM_PERCPU_H
#define LAB_SHIM_PERCPU_H

#include "config.h"
#include "compiler.h"

#define SHIM_PCPU			   __attribute__((section("shim_pcpu")))
#define DEFINE_PER_CPU(type, name)	   __typeof__(type) name SHIM_PCPU
#define DECLARE_PER_CPU(type, name)	   extern __typeof__(type) name SHIM_PCPU
#define DEFINE_PER_CPU_ALIGNED(type, name) __typeof__(type) name SHIM_PCPU ____cacheline_aligned
#define DECLARE_PER_CPU_ALIGNED(type, name) \
	extern __typeof__(type) name SHIM_PCPU ____cacheline_aligned
#define DEFINE_PER_CPU_SHARED_ALIGNED  DEFINE_PER_CPU_ALIGNED
#define DECLARE_PER_CPU_SHARED_ALIGNED DECLARE_PER_CPU_ALIGNED

extern unsigned long shim_offset[NR_CPUS];
extern unsigned int shim_nr_cpus;

#define shim_copy_of(ptr, off) ((__typeof__(ptr))((uintptr_t)(ptr) + (off)))
#define per_cpu_ptr(ptr, cpu)  shim_copy_of(ptr, shim_offset[cpu])
#define per_cpu(var, cpu)      (*per_cpu_ptr(&(var), cpu))

#ifdef SHIM_SEG_GS

DECLARE_PER_CPU(unsigned long, shim_this_off);
DECLARE_PER_CPU(int, shim_cpu_number);

#define shim_gs(var)	  (*(__typeof__(var) __seg_gs *)(uintptr_t)&(var))
#define this_cpu_ptr(ptr) shim_copy_of(ptr, shim_gs(shim_this_off))

#define raw_cpu_read(var)      shim_gs(var)
#define raw_cpu_write(var, v)  (shim_gs(var) = (v))
#define this_cpu_read(var)     (*(volatile __typeof__(var) __seg_gs *)(uintptr_t)&(var))
#define this_cpu_write(var, v) (this_cpu_read(var) = (v))

/* One instruction each, so that an interrupt comes before or after it. */
#define this_cpu_add(var, v)                              \
	__asm__ __volatile__("add%z0 %1, %0"              \
			     : "+m"(shim_gs(var))         \
			     : "ri"((__typeof__(var))(v)) \
			     : "memory")
#define this_cpu_cmpxchg(var, old, new)                                \
	({                                                             \
		__typeof__(var) __ret = (old);                         \
		__asm__ __volatile__("cmpxchg %2, %1"                  \
				     : "+a"(__ret), "+m"(shim_gs(var)) \
				     : "r"((__typeof__(var))(new))     \
				     : "memory");                      \
		__ret;                                                 \
	})

#define smp_processor_id() raw_cpu_read(shim_cpu_number)

#else /* SHIM_SEG_GS */

int shim_cpu(void);

#define this_cpu_ptr(ptr)      per_cpu_ptr(ptr, shim_cpu())
#define this_cpu_read(var)     READ_ONCE(*this_cpu_ptr(&(var)))
#define this_cpu_write(var, v) WRITE_ONCE(*this_cpu_ptr(&(var)), v)
#define raw_cpu_read(var)      this_cpu_read(var)
#define raw_cpu_write(var, v)  this_cpu_write(var, v)
#define this_cpu_add(var, v)   ((void)__atomic_fetch_add(this_cpu_ptr(&(var)), v, __ATOMIC_RELAXED))
#define this_cpu_cmpxchg(var, old, new)                                                 \
	({                                                                              \
		__typeof__(var) __ret = (old);                                          \
		__atomic_compare_exchange_n(this_cpu_ptr(&(var)), &__ret, (new), false, \
					    __ATOMIC_RELAXED, __ATOMIC_RELAXED);        \
		__ret;                                                                  \
	})

#define smp_processor_id() shim_cpu()

#endif /* SHIM_SEG_GS */

#define raw_cpu_ptr(ptr)	 this_cpu_ptr(ptr)
#define this_cpu_inc(var)	 this_cpu_add(var, 1)
#define this_cpu_dec(var)	 this_cpu_add(var, -1)
#define raw_cpu_add(var, v)	 this_cpu_add(var, v)
#define raw_cpu_inc(var)	 this_cpu_inc(var)
#define raw_cpu_dec(var)	 this_cpu_dec(var)
#define __this_cpu_inc(var)	 this_cpu_inc(var)
#define __this_cpu_dec(var)	 this_cpu_dec(var)
#define __this_cpu_read(var)	 raw_cpu_read(var)
#define __this_cpu_write(var, v) raw_cpu_write(var, v)
#define raw_smp_processor_id()	 smp_processor_id()

/* The kernel tests a bit of a mask: a @cpu beyond the mask is a bug of the caller. */
static inline bool shim_cpu_possible(unsigned int cpu)
{
	if (cpu >= shim_nr_cpus)
		__builtin_trap();
	return true;
}

#define nr_cpu_ids		   shim_nr_cpus
#define num_possible_cpus()	   shim_nr_cpus
#define cpu_possible(cpu)	   shim_cpu_possible(cpu)
#define for_each_possible_cpu(cpu) for ((cpu) = 0; (unsigned int)(cpu) < shim_nr_cpus; (cpu)++)

#endif /* LAB_SHIM_PERCPU_H */
