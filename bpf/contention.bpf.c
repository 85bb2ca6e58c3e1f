// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Failures of waiters in the lock's queue: the only trace of them for locks inside maps. */
#include <vmlinux.h>

#define WITNESS		struct witness
#define WITNESS_DETAILS struct witness_tables
#include "witness.h"
#include "witness.bpf.h"

/*
 * Mutexes return these errors, too. The resilient lock of an attempt is the newest entry in this
 * CPU's table, unless the table has all its HELD_ENTRIES: then the kernel does not record it.
 */
static __always_inline bool is_resilient(const void *lock)
{
	__u32 cpu = bpf_get_smp_processor_id(), nr = 0;
	__u64 addr = cpu < HELD_CPUS ? held_addr[cpu] : 0, newest = 0;

	if (!addr || bpf_probe_read_kernel(&nr, sizeof(nr), (void *)addr) || !nr)
		return false;
	if (nr > HELD_ENTRIES)
		return true;
	bpf_probe_read_kernel(&newest, sizeof(newest), (void *)(addr + nr * 8));
	return newest == (__u64)lock;
}

SEC("tp_btf/contention_end")
int BPF_PROG(contended, void *lock, int ret)
{
	struct witness_tables *d;
	struct witness_place at;
	struct witness *w;

	if ((ret != -EDEADLK && ret != -ETIMEDOUT) || !is_resilient(lock))
		return 0;
	w = witness_reserve(&at);
	if (!w)
		return 0;
	w->kind = WITNESS_CONTENTION;
	w->lock = (__u64)lock;
	w->err = ret;
	d = witness_details(&at, w);
	if (d) {
		witness_copy_tables(d, w->cpu);
		/* In the middle of its acquisition the attempted lock is its newest entry. */
		witness_use_own(w, &d->own, d->own.nr && d->own.nr <= HELD_ENTRIES);
	}
	witness_count(&at, w, witness_mix(w->lock, w->told | (__u64)w->err << 8));
	witness_publish(&at, w, d);
	return 0;
}
