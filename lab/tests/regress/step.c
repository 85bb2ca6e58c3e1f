// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Single-steps with the trap flag: the signal after each instruction stands for an NMI there. */
#include <signal.h>

#include "regress.h"

#ifdef __x86_64__

#define TRAP_FLAG "0x100"

static __thread void (*at_each)(void *arg);
static __thread void *at_arg;
static __thread u64 steps;

static void on_trap(int sig)
{
	(void)sig;
	if (!at_each)
		return;
	steps++;
	shim_nmi = true;
	at_each(at_arg);
	shim_nmi = false;
}

static __always_inline void trap_on(void)
{
	__asm__ __volatile__("pushfq; orq $" TRAP_FLAG ", (%%rsp); popfq" ::: "memory", "cc");
}

static __always_inline void trap_off(void)
{
	__asm__ __volatile__("pushfq; andq $~" TRAP_FLAG ", (%%rsp); popfq" ::: "memory", "cc");
}

u64 step_each(void (*fn)(void *arg), void (*probe)(void *arg), void *arg)
{
	struct sigaction sa = { .sa_handler = on_trap }, old;

	sigaction(SIGTRAP, &sa, &old);
	steps = 0;
	at_arg = arg;
	at_each = probe;
	trap_on();
	fn(arg);
	trap_off();
	at_each = NULL;
	sigaction(SIGTRAP, &old, NULL);
	return steps;
}

#else

u64 step_each(void (*fn)(void *arg), void (*probe)(void *arg), void *arg)
{
	return 0;
}

#endif
