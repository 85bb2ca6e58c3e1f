/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#ifndef SIM_FIBER_H
#define SIM_FIBER_H

#include <stddef.h>

struct fiber;

/**
 * fiber_new() - Make a coroutine; it starts at the first fiber_resume().
 * @fn:  the function that it runs; must not return
 * @arg: its argument
 *
 * Return: the coroutine, or NULL without memory.
 */
struct fiber *fiber_new(void (*fn)(void *), void *arg);
void fiber_free(struct fiber *f);

/** fiber_resume() - Run @f until it calls fiber_yield(). */
void fiber_resume(struct fiber *f);

/** fiber_yield() - Return from fiber_resume() to its caller; called by @f itself. */
void fiber_yield(struct fiber *f);

#endif
