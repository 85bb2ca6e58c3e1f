/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Raw kfuncs, no wrapper: these tests are about the kernel's own interface. */
#ifndef RQSPIN_TEST_KFUNCS_H
#define RQSPIN_TEST_KFUNCS_H

#include "vmlinux.h"
#include <bpf/bpf_helpers.h>
#include "may_loop.h"
#include "test_macros.h"

#define EDEADLK	  35
#define ETIMEDOUT 110

extern int bpf_res_spin_lock(struct bpf_res_spin_lock *lock) __weak __ksym;
extern void bpf_res_spin_unlock(struct bpf_res_spin_lock *lock) __weak __ksym;
extern int bpf_res_spin_lock_irqsave(struct bpf_res_spin_lock *lock,
				     unsigned long *flags__irq_flag) __weak __ksym;
extern void bpf_res_spin_unlock_irqrestore(struct bpf_res_spin_lock *lock,
					   unsigned long *flags__irq_flag) __weak __ksym;
extern void bpf_local_irq_save(unsigned long *flags__irq_flag) __weak __ksym;
extern void bpf_local_irq_restore(unsigned long *flags__irq_flag) __weak __ksym;

/* Statements that run with interrupts off. */
#define irqs_off(...)                           \
	do {                                    \
		unsigned long irqs__;           \
                                                \
		bpf_local_irq_save(&irqs__);    \
		__VA_ARGS__;                    \
		bpf_local_irq_restore(&irqs__); \
	} while (0)

struct locked_value {
	struct bpf_res_spin_lock lock;
	__u32 count;
};

/* Hides from the compiler that two keys are equal: it would merge the look-ups. */
#define opaque(x)                             \
	({                                    \
		typeof(x) v__ = (x);          \
		asm volatile("" : "+r"(v__)); \
		v__;                          \
	})

#endif
