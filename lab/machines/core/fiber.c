// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include <stdint.h>
#include <stdlib.h>

#include "core/fiber.h"

#define STACK (32 * 1024)

/* swapcontext() calls the kernel for the signal mask: ten times as slow as this switch. */
#if defined(__x86_64__) && !defined(__SANITIZE_ADDRESS__)

struct fiber {
	void *sp, *back;
	void (*fn)(void *);
	void *arg;
	char stack[STACK] __attribute__((aligned(16)));
};

void fiber_switch(void **save, void *to);
__asm__(".text\n"
	".type fiber_switch, @function\n"
	"fiber_switch:\n"
	"	push %rbp\n	push %rbx\n	push %r12\n	push %r13\n	push %r14\n	push %r15\n"
	"	mov %rsp, (%rdi)\n"
	"	mov %rsi, %rsp\n"
	"	pop %r15\n	pop %r14\n	pop %r13\n	pop %r12\n	pop %rbx\n	pop %rbp\n"
	"	ret\n"
	".size fiber_switch, .-fiber_switch\n");

static struct fiber *starting;

static void fiber_start(void)
{
	struct fiber *f = starting;

	f->fn(f->arg);
	abort();
}

static int fiber_prepare(struct fiber *f)
{
	uintptr_t *sp = (uintptr_t *)(f->stack + STACK);

	*--sp = 0; /* fiber_start() finds the stack as after a call */
	*--sp = (uintptr_t)fiber_start;
	sp -= 6;
	f->sp = sp;
	return 0;
}

void fiber_resume(struct fiber *f)
{
	starting = f;
	fiber_switch(&f->back, f->sp);
}

void fiber_yield(struct fiber *f)
{
	fiber_switch(&f->sp, f->back);
}

#else
#include <ucontext.h>

struct fiber {
	ucontext_t self, back;
	void (*fn)(void *);
	void *arg;
	char stack[4 * STACK] __attribute__((aligned(16)));
};

static void fiber_start(unsigned int high, unsigned int low)
{
	struct fiber *f = (struct fiber *)(((uintptr_t)high << 32) | low);

	f->fn(f->arg);
	abort();
}

static int fiber_prepare(struct fiber *f)
{
	uintptr_t p = (uintptr_t)f;

	if (getcontext(&f->self))
		return -1;
	f->self.uc_stack.ss_sp = f->stack;
	f->self.uc_stack.ss_size = sizeof(f->stack);
	makecontext(&f->self, (void (*)(void))fiber_start, 2, (unsigned int)(p >> 32),
		    (unsigned int)p);
	return 0;
}

void fiber_resume(struct fiber *f)
{
	swapcontext(&f->back, &f->self);
}

void fiber_yield(struct fiber *f)
{
	swapcontext(&f->self, &f->back);
}
#endif

struct fiber *fiber_new(void (*fn)(void *), void *arg)
{
	struct fiber *f = malloc(sizeof(*f));

	if (!f)
		return NULL;
	f->fn = fn;
	f->arg = arg;
	if (fiber_prepare(f)) {
		free(f);
		return NULL;
	}
	return f;
}

void fiber_free(struct fiber *f)
{
	free(f);
}
