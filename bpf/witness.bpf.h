/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Writing struct witness: shared by the tracer's BPF objects, each of which has its own rings. */
#ifndef RQSPIN_WITNESS_BPF_H
#define RQSPIN_WITNESS_BPF_H

#include <bpf/bpf_core_read.h>
#include <bpf/bpf_helpers.h>
#include <bpf/bpf_tracing.h>

#include "held.h"
#include "witness.h"

const volatile __u32 nr_cpus = 1;
__u64 held_addr[HELD_CPUS]; /* of each CPU's table of held locks, 0 if unknown */

struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(map_flags, BPF_F_MMAPABLE);
	__uint(max_entries, 1); /* one per CPU: set by user space */
	__type(key, __u32);
	__type(value, struct witness_ring);
} witnesses SEC(".maps");

static __always_inline struct witness *witness_reserve(__u64 *seq)
{
	__u32 cpu = bpf_get_smp_processor_id();
	struct witness_ring *ring = bpf_map_lookup_elem(&witnesses, &cpu);
	struct witness *w;
	__u64 pos;

	if (!ring)
		return NULL;
	/* Atomic because a nested context of this CPU may be writing as well. */
	pos = __sync_fetch_and_add(&ring->head, 1);
	w = &ring->slots[pos & (WITNESS_SLOTS - 1)];
	__sync_lock_test_and_set(&w->seq, 0);
	*seq = pos + 1;
	w->ts_ns = bpf_ktime_get_ns();
	w->lock = 0;
	w->wait_ns = ~0ULL;
	w->err = 0;
	w->cpu = cpu;
	w->pid = bpf_get_current_pid_tgid() >> 32;
	w->tid = bpf_get_current_pid_tgid();
	w->prog_id = 0;
	w->map_id = 0;
	w->text_len = 0;
	bpf_get_current_comm(w->comm, sizeof(w->comm));
	return w;
}

static __always_inline void witness_publish(struct witness *w, __u64 seq)
{
	/* The exchange orders it after the fields. */
	__sync_lock_test_and_set(&w->seq, seq);
}

static __always_inline bool witness_copy_table(struct witness_table *t, __u32 cpu)
{
	__u64 addr = cpu < HELD_CPUS ? held_addr[cpu] : 0;
	__u32 nr = 0, first;

	t->cpu = cpu;
	t->nr = 0;
	if (!addr || bpf_probe_read_kernel(&nr, sizeof(nr), (void *)addr) || !nr)
		return false;
	t->nr = nr;
	if (nr > HELD_ENTRIES)
		nr = HELD_ENTRIES;
	first = nr > WITNESS_LOCKS ? nr - WITNESS_LOCKS : 0;
	bpf_probe_read_kernel(t->locks, sizeof(t->locks), (void *)(addr + 8 + first * 8));
	return true;
}

/* Who else holds or waits for locks right now. */
static __always_inline void witness_copy_tables(struct witness *w)
{
	__u32 cpu, nr = 0, left_out = 0;

	witness_copy_table(&w->own, w->cpu);
	if (w->cpu >= HELD_CPUS || !held_addr[w->cpu])
		w->own.nr = WITNESS_NO_TABLE;
	bpf_for(cpu, 0, nr_cpus) {
		if (cpu == w->cpu)
			continue;
		if (nr < WITNESS_TABLES)
			nr += witness_copy_table(&w->tables[nr], cpu);
		else
			left_out++;
	}
	w->nr_tables = nr;
	w->tables_left_out = left_out;
}

char LICENSE[] SEC("license") = "Dual BSD/GPL";

#endif
