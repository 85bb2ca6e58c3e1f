// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Counts a user program's calls of the kernel's lock functions. Linked to the user's object, these
 * functions replace the kernel's, and call them. The object has no license and no program because
 * it is never loaded alone.
 */
#define BPF_NO_KFUNC_PROTOTYPES
#include <vmlinux.h>
#include <bpf/bpf_helpers.h>

#include "counted.h"

#define EDEADLK	  35
#define ETIMEDOUT 110

struct counted_calls rqspin_counted SEC(COUNTED_MAP);

/* Other names for the kernel's own: libbpf ignores what follows three underscores. */
extern int bpf_res_spin_lock___kernel(struct bpf_res_spin_lock *lock) __weak __ksym;
extern int bpf_res_spin_lock_irqsave___kernel(struct bpf_res_spin_lock *lock,
					      unsigned long *flags__irq_flag) __weak __ksym;

static __always_inline int call_count(int err)
{
	if (!err)
		__sync_fetch_and_add(&rqspin_counted.ok, 1);
	else if (err == -EDEADLK)
		__sync_fetch_and_add(&rqspin_counted.edeadlk, 1);
	else if (err == -ETIMEDOUT)
		__sync_fetch_and_add(&rqspin_counted.etimedout, 1);
	else
		__sync_fetch_and_add(&rqspin_counted.other, 1);
	return err;
}

/* Hidden: the verifier follows calls into them, instead of checking each on its own. */
__hidden int bpf_res_spin_lock(struct bpf_res_spin_lock *lock)
{
	return call_count(bpf_res_spin_lock___kernel(lock));
}

__hidden int bpf_res_spin_lock_irqsave(struct bpf_res_spin_lock *lock,
				       unsigned long *flags__irq_flag)
{
	return call_count(bpf_res_spin_lock_irqsave___kernel(lock, flags__irq_flag));
}
