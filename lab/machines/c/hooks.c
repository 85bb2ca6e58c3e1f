// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * The functions that -fsanitize=thread calls before plain accesses and instead of atomic ones: here
 * they cost simulated time. Machine and code are those of an x86, so each atomic that writes and
 * reads is a full barrier, and stores become visible in their order.
 */
#include "c/access.h"

void __tsan_init(void)
{
}

void __tsan_func_entry(void *pc)
{
	(void)pc;
}

void __tsan_func_exit(void)
{
}

void __tsan_atomic_thread_fence(int order)
{
	if (order == __ATOMIC_SEQ_CST)
		c_fence();
}

#define PLAIN(n)                      \
	void __tsan_read##n(void *a)  \
	{                             \
		c_read_plain(a, n);   \
	}                             \
	void __tsan_write##n(void *a) \
	{                             \
		c_write_plain(a, n);  \
	}

PLAIN(1)
PLAIN(2)
PLAIN(4)
PLAIN(8)
PLAIN(16)

void __tsan_read_range(void *a, unsigned long n)
{
	c_read_plain(a, n);
}

void __tsan_write_range(void *a, unsigned long n)
{
	c_write_plain(a, n);
}

#define RMW(n, type, name, op)                                     \
	type __tsan_atomic##n##_##name(type *a, type v, int order) \
	{                                                          \
		return c_rmw(op, a, sizeof(*a), v, 0, order);      \
	}

#define ATOMIC(n, type)                                                                       \
	type __tsan_atomic##n##_load(const type *a, int order)                                \
	{                                                                                     \
		(void)order;                                                                  \
		return c_load(a, sizeof(*a));                                                 \
	}                                                                                     \
	void __tsan_atomic##n##_store(type *a, type v, int order)                             \
	{                                                                                     \
		if (order == __ATOMIC_SEQ_CST)                                                \
			c_rmw(SIM_SWAP, a, sizeof(*a), v, 0, order);                          \
		else                                                                          \
			c_store(a, sizeof(*a), v);                                            \
	}                                                                                     \
	int __tsan_atomic##n##_compare_exchange_strong(type *a, type *old, type v, int order, \
						       int failed)                            \
	{                                                                                     \
		type was = c_rmw(SIM_CAS, a, sizeof(*a), v, *old, order);                     \
		int done = was == *old;                                                       \
                                                                                              \
		(void)failed;                                                                 \
		*old = was;                                                                   \
		return done;                                                                  \
	}                                                                                     \
	RMW(n, type, exchange, SIM_SWAP)                                                      \
	RMW(n, type, fetch_add, SIM_ADD)                                                      \
	RMW(n, type, fetch_or, SIM_OR)                                                        \
	RMW(n, type, fetch_and, SIM_AND)

ATOMIC(8, uint8_t)
ATOMIC(16, uint16_t)
ATOMIC(32, uint32_t)
ATOMIC(64, uint64_t)
