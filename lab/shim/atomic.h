/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* atomic_t and friends on the compiler's atomics: the same instructions as the kernel's. */
#ifndef LAB_SHIM_ATOMIC_H
#define LAB_SHIM_ATOMIC_H

#include "compiler.h"
#include "context.h"

typedef struct {
	int counter;
} atomic_t;

typedef struct {
	s64 counter;
} atomic64_t;

#define ATOMIC_INIT(i) { (i) }

#define SHIM_ATOMIC(pfx, atom, type)                                                               \
	static __always_inline type pfx##_read(const atom *v)                                      \
	{                                                                                          \
		return __atomic_load_n(&v->counter, __ATOMIC_RELAXED);                             \
	}                                                                                          \
	static __always_inline type pfx##_read_acquire(const atom *v)                              \
	{                                                                                          \
		return __atomic_load_n(&v->counter, __ATOMIC_ACQUIRE);                             \
	}                                                                                          \
	static __always_inline void pfx##_set(atom *v, type i)                                     \
	{                                                                                          \
		__atomic_store_n(&v->counter, i, __ATOMIC_RELAXED);                                \
	}                                                                                          \
	static __always_inline void pfx##_set_release(atom *v, type i)                             \
	{                                                                                          \
		__atomic_store_n(&v->counter, i, __ATOMIC_RELEASE);                                \
	}                                                                                          \
	static __always_inline void pfx##_add(type i, atom *v)                                     \
	{                                                                                          \
		__atomic_fetch_add(&v->counter, i, __ATOMIC_RELAXED);                              \
	}                                                                                          \
	static __always_inline void pfx##_andnot(type i, atom *v)                                  \
	{                                                                                          \
		__atomic_fetch_and(&v->counter, ~i, __ATOMIC_RELAXED);                             \
	}                                                                                          \
	static __always_inline type pfx##_fetch_or_acquire(type i, atom *v)                        \
	{                                                                                          \
		return __atomic_fetch_or(&v->counter, i, __ATOMIC_ACQUIRE);                        \
	}                                                                                          \
	static __always_inline bool pfx##_try_cmpxchg_acquire(atom *v, type *old, type new)        \
	{                                                                                          \
		return __atomic_compare_exchange_n(&v->counter, old, new, false, __ATOMIC_ACQUIRE, \
						   __ATOMIC_RELAXED);                              \
	}                                                                                          \
	static __always_inline bool pfx##_try_cmpxchg_release(atom *v, type *old, type new)        \
	{                                                                                          \
		return __atomic_compare_exchange_n(&v->counter, old, new, false, __ATOMIC_RELEASE, \
						   __ATOMIC_RELAXED);                              \
	}                                                                                          \
	static __always_inline bool pfx##_try_cmpxchg_relaxed(atom *v, type *old, type new)        \
	{                                                                                          \
		return __atomic_compare_exchange_n(&v->counter, old, new, false, __ATOMIC_RELAXED, \
						   __ATOMIC_RELAXED);                              \
	}                                                                                          \
	static __always_inline bool pfx##_try_cmpxchg(atom *v, type *old, type new)                \
	{                                                                                          \
		return __atomic_compare_exchange_n(&v->counter, old, new, false, __ATOMIC_SEQ_CST, \
						   __ATOMIC_RELAXED);                              \
	}                                                                                          \
	static __always_inline type pfx##_cmpxchg(atom *v, type old, type new)                     \
	{                                                                                          \
		pfx##_try_cmpxchg(v, &old, new);                                                   \
		return old;                                                                        \
	}                                                                                          \
	static __always_inline type pfx##_xchg(atom *v, type new)                                  \
	{                                                                                          \
		return __atomic_exchange_n(&v->counter, new, __ATOMIC_SEQ_CST);                    \
	}                                                                                          \
	static __always_inline type pfx##_xchg_release(atom *v, type new)                          \
	{                                                                                          \
		return __atomic_exchange_n(&v->counter, new, __ATOMIC_RELEASE);                    \
	}

SHIM_ATOMIC(atomic, atomic_t, int)
SHIM_ATOMIC(atomic64, atomic64_t, s64)

#define atomic_cond_read_relaxed(v, c) smp_cond_load_relaxed(&(v)->counter, (c))
#define atomic_cond_read_acquire(v, c) smp_cond_load_acquire(&(v)->counter, (c))

/*
 * C11 lets a release fence and a relaxed exchange lose what the kernel's memory model keeps
 * through the dependency, so a race detector must see the stronger form.
 */
#ifdef __SANITIZE_THREAD__
#define SHIM_XCHG_RELAXED __ATOMIC_ACQ_REL
#else
#define SHIM_XCHG_RELAXED __ATOMIC_RELAXED
#endif

#define xchg(ptr, v)	     __atomic_exchange_n(ptr, v, __ATOMIC_SEQ_CST)
#define xchg_relaxed(ptr, v) __atomic_exchange_n(ptr, v, SHIM_XCHG_RELAXED)
#define cmpxchg_release(ptr, old, new)                                                 \
	({                                                                             \
		__typeof__(*(ptr)) __old = (old);                                      \
		__atomic_compare_exchange_n(ptr, &__old, new, false, __ATOMIC_RELEASE, \
					    __ATOMIC_RELAXED);                         \
		__old;                                                                 \
	})

#endif /* LAB_SHIM_ATOMIC_H */
