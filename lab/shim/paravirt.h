/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* What the kernel's queued spin lock for virtual machines needs beyond shim.h. */
#ifndef LAB_SHIM_PARAVIRT_H
#define LAB_SHIM_PARAVIRT_H

#include "shim.h"

/* Sleeps while *@byte is @val, until a kick or a tick: callers check again. */
void shim_halt(const u8 *byte, u8 val);
void shim_kick(int cpu);
/* Returns zeroed memory, which is never freed. */
void *shim_table(size_t size);

#define pv_wait(byte, val) shim_halt(byte, val)
#define pv_kick(cpu)	   shim_kick(cpu)

/* As on x86. Under a scheduler, more than one round shows nothing new. */
#ifdef SHIM_EXTERN
#define SPIN_THRESHOLD 1
#define PAGE_SIZE      64
#else
#define SPIN_THRESHOLD (1 << 15)
#define PAGE_SIZE      4096
#endif

#define __visible		static __maybe_unused /* more than one file has these */
#define ALIGN(x, a)		(((x) + (a) - 1) / (a) * (a))
#define BUG()			__builtin_trap()
#define WARN(cond, ...)		__builtin_trap()
#define debug_locks_silent	0
#define early_param(name, fn)	static __maybe_unused int (*const fn##_)(char *) = fn
#define smp_mb__before_atomic() smp_mb()
#define smp_store_mb(var, v)	__atomic_store_n(&(var), v, __ATOMIC_SEQ_CST)

#define shim_try_cmpxchg(ptr, old, new, order) \
	__atomic_compare_exchange_n(ptr, old, new, false, order, __ATOMIC_RELAXED)
#define try_cmpxchg(ptr, old, new)	   shim_try_cmpxchg(ptr, old, new, __ATOMIC_SEQ_CST)
#define try_cmpxchg_relaxed(ptr, old, new) shim_try_cmpxchg(ptr, old, new, __ATOMIC_RELAXED)
#define try_cmpxchg_acquire(ptr, old, new) shim_try_cmpxchg(ptr, old, new, __ATOMIC_ACQUIRE)
#define try_cmpxchg_release(ptr, old, new) shim_try_cmpxchg(ptr, old, new, __ATOMIC_RELEASE)
#define cmpxchg(ptr, old, new)                                       \
	({                                                           \
		__typeof__(*(ptr)) old_ = (old);                     \
                                                                     \
		shim_try_cmpxchg(ptr, &old_, new, __ATOMIC_SEQ_CST); \
		old_;                                                \
	})

static inline void atomic_or(int i, atomic_t *v)
{
	__atomic_fetch_or(&v->counter, i, __ATOMIC_RELAXED);
}

static inline u32 hash_ptr(const void *ptr, unsigned int bits)
{
	return (u64)(uintptr_t)ptr * 0x61c8864680b583ebULL >> (64 - bits);
}

#define HASH_EARLY 0
#define HASH_ZERO  0

/* @entries of 16 bytes; a power of two of them. */
static inline void *shim_hash_table(unsigned long entries, unsigned int *bits)
{
	for (*bits = 0; 1UL << *bits < entries; ++*bits)
		;
	return shim_table(16UL << *bits);
}
#define alloc_large_system_hash(name, size, n, scale, flags, bits, mask, low, high) \
	shim_hash_table(n, bits)

#endif /* LAB_SHIM_PARAVIRT_H */
