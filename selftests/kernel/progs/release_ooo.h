/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Release out of order, a kfunc that only the patched 6.12 has. */
#ifndef RQSPIN_TEST_RELEASE_OOO_H
#define RQSPIN_TEST_RELEASE_OOO_H

#include "locks.h"

#define OOO "bpf_res_spin_unlock_ooo"

extern void bpf_res_spin_unlock_ooo(struct bpf_res_spin_lock *lock) __weak __ksym;

struct bpf_res_spin_lock lock_c __hidden SEC(".data.lock_c");

/* All or none of them. */
static __always_inline bool take_two(struct bpf_res_spin_lock *first,
				     struct bpf_res_spin_lock *second)
{
	if (bpf_res_spin_lock(first))
		return false;
	if (!bpf_res_spin_lock(second))
		return true;
	bpf_res_spin_unlock(first);
	return false;
}

static __always_inline bool take_three(struct bpf_res_spin_lock *first,
				       struct bpf_res_spin_lock *second,
				       struct bpf_res_spin_lock *third)
{
	if (!take_two(first, second))
		return false;
	if (!bpf_res_spin_lock(third))
		return true;
	bpf_res_spin_unlock(second);
	bpf_res_spin_unlock(first);
	return false;
}

#endif
