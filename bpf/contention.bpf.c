// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Failures of waiters in the lock's queue: the only trace of them for locks inside maps. */
#include <vmlinux.h>

#include "witness.bpf.h"

#define EDEADLK	  35
#define ETIMEDOUT 110

SEC("tp_btf/contention_end")
int BPF_PROG(contended, void *lock, int ret)
{
	struct witness *w;
	__u64 seq;

	if (ret != -EDEADLK && ret != -ETIMEDOUT)
		return 0;
	w = witness_reserve(&seq);
	if (!w)
		return 0;
	w->kind = WITNESS_CONTENTION;
	w->lock = (__u64)lock;
	w->err = ret;
	witness_copy_tables(w);
	witness_publish(w, seq);
	return 0;
}
