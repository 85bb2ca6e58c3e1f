/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Types, attributes and the kernel's accessors of shared memory. */
#ifndef LAB_SHIM_COMPILER_H
#define LAB_SHIM_COMPILER_H

#include <endian.h>
#include <errno.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <sys/types.h>

typedef uint8_t u8;
typedef uint16_t u16;
typedef uint32_t u32;
typedef uint64_t u64;
typedef int8_t s8;
typedef int16_t s16;
typedef int32_t s32;
typedef int64_t s64;

struct file;

#define __user
#define __percpu
#define __init
#define __lockfunc
#define __kprobes
#define __uninitialized
#define NOKPROBE_SYMBOL(fn)
#define __read_mostly
#define __ro_after_init
#undef __always_inline
#define __always_inline inline __attribute__((always_inline))
#define __pure		__attribute__((pure))
#define __maybe_unused	__attribute__((unused))
#define __aligned(x)	__attribute__((aligned(x)))
#define noinline	__attribute__((noinline))
#define notrace
#define SMP_CACHE_BYTES	      64
#define ____cacheline_aligned __aligned(SMP_CACHE_BYTES)
#define fallthrough	      __attribute__((fallthrough))

#define EXPORT_SYMBOL(sym)
#define EXPORT_SYMBOL_GPL(sym)
#define EXPORT_PER_CPU_SYMBOL_GPL(sym)

#define likely(x)	   __builtin_expect(!!(x), 1)
#define unlikely(x)	   __builtin_expect(!!(x), 0)
#define barrier()	   __asm__ __volatile__("" ::: "memory")
#define prefetchw(p)	   __builtin_prefetch(p, 1)
#define BUILD_BUG_ON(cond) _Static_assert(!(cond), #cond)
#undef static_assert
#define static_assert(cond) _Static_assert(cond, #cond)
#define BIT(n)		    (1UL << (n))
#define ARRAY_SIZE(a)	    (sizeof(a) / sizeof((a)[0]))
#define DIV_ROUND_UP(n, d)  (((n) + (d) - 1) / (d))

#define min(a, b)                                      \
	({                                             \
		__typeof__(a) __min_a = (a);           \
		__typeof__(b) __min_b = (b);           \
		__min_a < __min_b ? __min_a : __min_b; \
	})
#define max(a, b)                                      \
	({                                             \
		__typeof__(a) __max_a = (a);           \
		__typeof__(b) __max_b = (b);           \
		__max_a > __max_b ? __max_a : __max_b; \
	})
#define min_t(t, a, b)	    min((t)(a), (t)(b))
#define max_t(t, a, b)	    max((t)(a), (t)(b))
#define clamp(v, low, high) min(max(v, low), high)

#define container_of(ptr, type, member) ((type *)((char *)(ptr) - offsetof(type, member)))

/* Relaxed atomics compile to plain loads and stores, and sanitizers do not take them for races. */
#define READ_ONCE(x)	 __atomic_load_n(&(x), __ATOMIC_RELAXED)
#define WRITE_ONCE(x, v) __atomic_store_n(&(x), (v), __ATOMIC_RELAXED)

#define smp_load_acquire(p)	__atomic_load_n(p, __ATOMIC_ACQUIRE)
#define smp_store_release(p, v) __atomic_store_n(p, v, __ATOMIC_RELEASE)

/* On x86 all but the first are barriers for the compiler only. */
#define smp_mb()  __atomic_thread_fence(__ATOMIC_SEQ_CST)
#define smp_wmb() __atomic_thread_fence(__ATOMIC_RELEASE)
#define smp_rmb() __atomic_thread_fence(__ATOMIC_ACQUIRE)

#define smp_mb__after_unlock_lock() smp_mb()

/* Memory that other threads may have freed can still be read here. */
#define get_kernel_nofault(val, ptr)       \
	({                                 \
		(val) = READ_ONCE(*(ptr)); \
		0;                         \
	})

#define NSEC_PER_USEC 1000L
#define NSEC_PER_MSEC 1000000L
#define NSEC_PER_SEC  1000000000L
#define USEC_PER_SEC  1000000L

#endif /* LAB_SHIM_COMPILER_H */
