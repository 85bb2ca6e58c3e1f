/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* <asm/rqspinlock.h>: a thread is a virtual CPU, and a futex wakes it (vcpu.c). */
#ifndef LAB_SHIM_RQSPINLOCK_ARCH_H
#define LAB_SHIM_RQSPINLOCK_ARCH_H

#include "shim.h"

/* The queue for virtual machines. */
#ifndef res_hybrid_enabled
#define res_hybrid_enabled res_hybrid_enabled
static __always_inline bool res_hybrid_enabled(void)
{
	return unlikely(READ_ONCE(shim_hybrid));
}
#endif

void res_halt(u8 *halted);
void res_kick(int cpu);

#include <asm-generic/rqspinlock.h>

#endif /* LAB_SHIM_RQSPINLOCK_ARCH_H */
