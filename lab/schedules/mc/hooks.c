// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * The functions that -fsanitize=thread calls before plain accesses and instead of atomic ones, and
 * those that the shim needs. Under one scheduler every access is atomic; the orders that weaker
 * machines allow are the subject of the litmus tests.
 */
#include "mc.h"

bool shim_in_nmi(void);
int shim_cpu(void);
unsigned long shim_irq_save(void);
void shim_irq_restore(unsigned long flags);
uint64_t shim_clock(void);
void shim_relax(const volatile void *addr);
unsigned int mc_round(unsigned int *count);
bool mc_no_queue(void);
bool mc_hybrid(void);
bool shim_irqs_disabled(void);
void res_halt(uint8_t *halted);
void res_kick(int cpu);

int shim_cpu(void)
{
	return mc.cur;
}

bool shim_irqs_disabled(void)
{
	return mc_this()->irqs_off;
}

bool shim_in_nmi(void)
{
	return mc_ctx()->nmi;
}

unsigned long shim_irq_save(void)
{
	bool off = mc_this()->irqs_off;

	mc_this()->irqs_off = true;
	return off;
}

void shim_irq_restore(unsigned long flags)
{
	mc_this()->irqs_off = flags;
}

void shim_relax(const volatile void *addr)
{
	struct mc_ctx *ctx = mc_ctx();

	(void)addr;
	/*
	 * Before its first read of the clock a waiter pauses once, and goes on whatever others do.
	 * The first read only notes the time: after the next one the waiter looks for a deadlock at
	 * once.
	 */
	mc_this()->relaxed =
		ctx->looks == MC_LOOKS_AGAIN || ctx->looks == MC_PAUSED_ONCE || ctx->attempt < 0;
	if (ctx->looks == MC_LOOKED_ONCE)
		ctx->looks = MC_LOOKS_AGAIN;
	else if (ctx->looks == MC_NEVER_LOOKED)
		ctx->looks = MC_PAUSED_ONCE;
	mc_paused(mc.cur);
}

/* A loop takes time: its second read of the clock returns a later time than the first. */
uint64_t shim_clock(void)
{
	struct mc_ctx *ctx = mc_ctx();

	mc_clock();
	if (ctx->looks <= MC_PAUSED_ONCE) {
		ctx->looks = MC_LOOKED_ONCE;
		return mc.now;
	}
	return mc.now + MC_ROUND_NS;
}

/* The count of rounds is no part of the state. */
unsigned int mc_round(unsigned int *count)
{
	mc_ctx()->uncounted = count;
	return 1;
}

bool mc_no_queue(void)
{
	return mc_cfg.tas;
}

bool mc_hybrid(void)
{
	return mc_cfg.hybrid;
}

/*
 * Without interrupts and jumps only a kick ends a halt, so a lost kick is a hang. With them there
 * are ticks: time that passes ends the halt, too.
 */
void res_halt(uint8_t *halted)
{
	bool ticks = mc_cfg.irqs || mc_cfg.nmis || mc_cfg.jumps;

	mc_access(halted, MC_READ, __builtin_return_address(0));
	while (*halted) {
		mc_this()->watch = 0;
		mc_this()->relaxed = true;
		mc_access(halted, MC_READ, __builtin_return_address(0));
		if (ticks)
			break;
	}
}

void res_kick(int cpu)
{
	(void)cpu;
}

#define CALLER __builtin_return_address(0)

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
	(void)order;
}

#define PLAIN(n)                                \
	void __tsan_read##n(void *a)            \
	{                                       \
		mc_access(a, MC_READ, CALLER);  \
	}                                       \
	void __tsan_write##n(void *a)           \
	{                                       \
		mc_access(a, MC_WRITE, CALLER); \
	}

PLAIN(1)
PLAIN(2)
PLAIN(4)
PLAIN(8)
PLAIN(16)

void __tsan_read_range(void *a, unsigned long n)
{
	(void)n;
	mc_access(a, MC_READ, CALLER);
}

void __tsan_write_range(void *a, unsigned long n)
{
	(void)n;
	mc_access(a, MC_WRITE, CALLER);
}

#define RMW(n, type, name, result)                                 \
	type __tsan_atomic##n##_##name(type *a, type v, int order) \
	{                                                          \
		type old;                                          \
                                                                   \
		(void)order;                                       \
		mc_access(a, MC_RMW, CALLER);                      \
		old = *a;                                          \
		*a = (result);                                     \
		if (*a != old)                                     \
			mc_wrote(a);                               \
		return old;                                        \
	}

#define ATOMIC(n, type)                                                                       \
	type __tsan_atomic##n##_load(const type *a, int order)                                \
	{                                                                                     \
		(void)order;                                                                  \
		mc_access(a, MC_READ, CALLER);                                                \
		return *a;                                                                    \
	}                                                                                     \
	void __tsan_atomic##n##_store(type *a, type v, int order)                             \
	{                                                                                     \
		(void)order;                                                                  \
		mc_access(a, MC_WRITE, CALLER);                                               \
		*a = v;                                                                       \
	}                                                                                     \
	int __tsan_atomic##n##_compare_exchange_strong(type *a, type *old, type v, int order, \
						       int failed)                            \
	{                                                                                     \
		(void)order;                                                                  \
		(void)failed;                                                                 \
		mc_access(a, MC_RMW, CALLER);                                                 \
		if (*a != *old) {                                                             \
			*old = *a;                                                            \
			return 0;                                                             \
		}                                                                             \
		*a = v;                                                                       \
		mc_wrote(a);                                                                  \
		return 1;                                                                     \
	}                                                                                     \
	RMW(n, type, exchange, v)                                                             \
	RMW(n, type, fetch_add, old + v)                                                      \
	RMW(n, type, fetch_or, old | v)                                                       \
	RMW(n, type, fetch_and, old &v)

ATOMIC(8, uint8_t)
ATOMIC(16, uint16_t)
ATOMIC(32, uint32_t)
ATOMIC(64, uint64_t)
