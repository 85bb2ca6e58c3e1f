/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Writing struct witness: shared by the tracer's BPF objects, each of which has maps of its own.
 * WITNESS and WITNESS_DETAILS are the types of an object's records; define them before including.
 */
#ifndef RQSPIN_WITNESS_BPF_H
#define RQSPIN_WITNESS_BPF_H

#include <bpf/bpf_core_read.h>
#include <bpf/bpf_helpers.h>
#include <bpf/bpf_tracing.h>

#include "rqspin/event.h"
#include "own.bpf.h"
#include "witness.h"

#define WITNESS_PROBES 8
#define EDEADLK	       35
#define ETIMEDOUT      110

const volatile struct witness_shape shape;
const volatile __u32 nr_cpus = 1;
__u64 held_addr[HELD_CPUS]; /* of each CPU's table of held locks, 0 if unknown */

struct witness_group_of {
	struct witness_group g;
	WITNESS first;
};

/* Our own view: these members move from one structure to another between kernels. */
struct rq___own {
	struct task_struct *curr;
} __attribute__((preserve_access_index));

/* User space sets how many entries each has. */
#define WITNESS_ARRAY(map, entry)                  \
	struct {                                   \
		__uint(type, BPF_MAP_TYPE_ARRAY);  \
		__uint(map_flags, BPF_F_MMAPABLE); \
		__uint(max_entries, 1);            \
		__type(key, __u32);                \
		__type(value, entry);              \
	} map SEC(".maps")

WITNESS_ARRAY(heads, struct witness_head);
WITNESS_ARRAY(witnesses, WITNESS);
WITNESS_ARRAY(details, WITNESS_DETAILS);
WITNESS_ARRAY(groups, struct witness_group_of);
WITNESS_ARRAY(names, struct witness_names);

/**
 * struct witness_place - where a failure is being written down
 * @head: its CPU's
 * @ring: index of its CPU's part
 * @key: place in the array of all records
 * @seq: the record's, when it is complete
 * @names: what is called how in it, NULL: nobody asks
 */
struct witness_place {
	struct witness_head *head;
	__u32 ring;
	__u32 key;
	__u64 seq;
	struct witness_names *names;
};

/* False: this CPU has no part of the maps, so the failure is only counted. */
static __always_inline bool witness_find(struct witness_place *at, __u32 cpu)
{
	__u32 ring = cpu < HELD_CPUS ? shape.ring_of[cpu] : 0;

	at->ring = ring - 1;
	at->head = bpf_map_lookup_elem(&heads, &ring);
	if (ring || !at->head)
		return at->head;
	__sync_fetch_and_add(&at->head->others, 1);
	return false;
}

/* It is not known whether this was a failure; user space says so. */
static __always_inline void witness_unsure(void)
{
	__u32 first = 0;
	struct witness_head *head = bpf_map_lookup_elem(&heads, &first);

	if (head)
		__sync_fetch_and_add(&head->unsure, 1);
}

static __always_inline void witness_begin(struct witness *w, __u32 cpu)
{
	w->ts_ns = bpf_ktime_get_ns();
	w->lock = 0;
	w->wait_ns = ~0ULL;
	w->details = 0;
	w->err = 0;
	w->cpu = cpu;
	w->pid = bpf_get_current_pid_tgid() >> 32;
	w->tid = bpf_get_current_pid_tgid();
	w->prog_id = 0;
	w->map_id = 0;
	w->told = RQSPIN_UNKNOWN;
	w->returned = 0;
	w->owner = -1;
	w->nr_own = WITNESS_NO_TABLE;
	w->nr_hops = 0;
	bpf_get_current_comm(w->comm, sizeof(w->comm));
}

static __always_inline WITNESS *witness_reserve(struct witness_place *at)
{
	__u32 cpu = bpf_get_smp_processor_id(), key;
	struct witness *w;
	__u64 pos;

	if (!witness_find(at, cpu))
		return NULL;
	/* Atomic because a nested context of this CPU may be writing as well. */
	pos = __sync_fetch_and_add(&at->head->head, 1);
	key = at->ring * shape.slots + (__u32)(pos % shape.slots);
	w = bpf_map_lookup_elem(&witnesses, &key);
	if (!w)
		return NULL;
	__sync_lock_test_and_set(&w->seq, 0);
	at->seq = pos + 1;
	at->key = key;
	at->names = NULL;
	witness_begin(w, cpu);
	return (WITNESS *)w;
}

/* The first member of any details is the number of the record that they belong to. */
static __always_inline WITNESS_DETAILS *witness_details(struct witness_place *at, struct witness *w)
{
	__u64 pos = __sync_fetch_and_add(&at->head->details, 1), *seq;
	__u32 key = at->ring * shape.details + (__u32)(pos % shape.details);

	seq = bpf_map_lookup_elem(&details, &key);
	if (!seq)
		return NULL;
	__sync_lock_test_and_set(seq, 0);
	w->details = pos + 1;
	return (WITNESS_DETAILS *)seq;
}

static __always_inline __u64 witness_mix(__u64 key, __u64 v)
{
	key = (key ^ v) * 0x9e3779b97f4a7c15ULL;
	return key ^ (key >> 29);
}

/* With the frames up to the program that called the kernel; text: the kernel's own code. */
static __always_inline __u64 witness_stack_key(const __u64 *stack, __s64 len, __u64 text,
					       __u64 text_size, __u64 key)
{
	bool kernel = false;
	__u32 i;

	bpf_for(i, 0, WITNESS_FRAMES) {
		bool inside = stack[i] - text < text_size;

		if ((__s64)(i * sizeof(stack[0])) >= len)
			break;
		key = witness_mix(key, stack[i]);
		/* The first frames are this program and what calls it. */
		if (kernel && !inside)
			break;
		kernel |= inside;
	}
	return key;
}

/* Failures with the same key are counted together, with the record of the first one. */
static __always_inline void witness_count(struct witness_place *at, WITNESS *rec, __u64 key)
{
	struct witness *w = (struct witness *)rec;
	__u32 i;

	key |= 1;
	w->group = 0;
	bpf_for(i, 0, WITNESS_PROBES) {
		__u32 nth = ((__u32)(key >> 32) + i) & (WITNESS_GROUPS - 1);
		__u32 slot = at->ring * WITNESS_GROUPS + nth;
		struct witness_group_of *g = bpf_map_lookup_elem(&groups, &slot);

		if (!g)
			break;
		if (!g->g.key && !__sync_val_compare_and_swap(&g->g.key, 0, key)) {
			g->first = *rec;
			__sync_lock_test_and_set(&g->g.ready, 1);
			__sync_fetch_and_add(&at->head->groups, 1);
		}
		if (g->g.key == key) {
			w->group = nth + 1;
			__sync_fetch_and_add(&g->g.count, 1);
			return;
		}
	}
	__sync_fetch_and_add(&at->head->others, 1);
}

static __always_inline void witness_publish(struct witness_place *at, struct witness *w,
					    void *details)
{
	/* The exchanges order them after the fields. */
	if (at->names)
		__sync_lock_test_and_set(&at->names->seq, at->seq);
	if (details)
		__sync_lock_test_and_set((__u64 *)details, at->seq);
	__sync_lock_test_and_set(&w->seq, at->seq);
}

/* Without a lock: the CPU may be switching tasks, and a task may be gone, but is not overwritten.
 */
static __always_inline void witness_running(struct witness_task *t, __u32 cpu)
{
	__u64 rq = cpu < HELD_CPUS ? shape.rq_addr[cpu] : 0;
	struct task_struct *task = NULL;

	t->pid = WITNESS_NO_TASK;
	if (rq && bpf_core_field_exists(struct rq___own, curr))
		task = BPF_CORE_READ((struct rq___own *)rq, curr);
	if (!task || bpf_core_read(&t->tid, sizeof(t->tid), &task->pid) ||
	    bpf_core_read(&t->comm, sizeof(t->comm), &task->comm))
		return;
	t->pid = BPF_CORE_READ(task, tgid);
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
	witness_running(&t->task, cpu);
	return true;
}

/* Who else holds or waits for locks right now. */
static __always_inline void witness_copy_tables(struct witness_tables *t, __u32 own)
{
	__u32 cpu, nr = 0, left_out = 0;

	witness_copy_table(&t->own, own);
	if (own >= HELD_CPUS || !held_addr[own])
		t->own.nr = WITNESS_NO_TABLE;
	bpf_for(cpu, 0, nr_cpus) {
		if (cpu == own)
			continue;
		if (nr < WITNESS_TABLES)
			nr += witness_copy_table(&t->tables[nr], cpu);
		else
			left_out++;
	}
	t->nr_tables = nr;
	t->tables_left_out = left_out;
}

/*
 * What the own table says, in the small record. attempting: its newest entry is the attempted lock.
 * The kernel calls two things a deadlock, so with a whole table it is one or the other.
 */
static __always_inline void witness_use_own(struct witness *w, const struct witness_table *own,
					    bool attempting)
{
	__u32 kept = own->nr < WITNESS_LOCKS ? own->nr : WITNESS_LOCKS, i;
	__u32 skip = kept > WITNESS_NEWEST ? kept - WITNESS_NEWEST : 0;
	bool held = false;

	w->told = w->err == -ETIMEDOUT ? RQSPIN_TIMEOUT : RQSPIN_UNKNOWN;
	w->nr_own = own->nr;
	if (own->nr == WITNESS_NO_TABLE)
		return;
	bpf_for(i, 0, WITNESS_LOCKS) {
		if (i + attempting < kept)
			held |= own->locks[i] == w->lock;
	}
	bpf_for(i, 0, WITNESS_NEWEST) {
		if (i + skip < WITNESS_LOCKS)
			w->locks[i] = own->locks[i + skip];
	}
	if (!w->lock || w->err != -EDEADLK)
		return;
	if (held)
		w->told = RQSPIN_AA;
	else if (kept > attempting && own->nr <= WITNESS_LOCKS)
		w->told = RQSPIN_ABBA;
}

char LICENSE[] SEC("license") = "Dual BSD/GPL";

#endif
