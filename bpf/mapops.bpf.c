// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Map operations that failed because of a lock inside the map. A program is attached to each
 * function that this kernel has and allows to be traced; functions of LPM tries, queues and ring
 * buffers are not allowed. The tables of held locks say which lock it was: this CPU's table has the
 * locks of the operation that this one interrupted.
 */
#include <vmlinux.h>

#define WITNESS		struct witness_told
#define WITNESS_DETAILS struct witness_tables
#include "witness.h"
#include "witness.bpf.h"
#include "witness_names.bpf.h"

#define ENOMEM	    12
#define E2BIG	    7
#define MAX_ERRNO   4095
#define NO_PREALLOC (1U << 0) /* BPF_F_NO_PREALLOC */

/* The kernel's own code, modules and programs apart; a size of 0 if that is not known. */
const volatile __u64 text_start;
const volatile __u64 text_size;
__u64 percpu_delta[HELD_CPUS]; /* from a per-CPU pointer to each CPU's copy, 0 if unknown */

/* Memory in which a map's locks are. */
struct span {
	__u64 base, size;
};

static __always_inline bool span_has(const struct span *s, __u64 lock)
{
	return lock - s->base < s->size;
}

static __always_inline __u32 table_nr(__u32 cpu)
{
	__u64 addr = cpu < HELD_CPUS ? held_addr[cpu] : 0;
	__u32 nr = 0;

	if (!addr || bpf_probe_read_kernel(&nr, sizeof(nr), (void *)addr))
		return 0;
	return nr < HELD_ENTRIES ? nr : HELD_ENTRIES;
}

static __always_inline __u64 table_lock(__u32 cpu, __u32 i)
{
	__u64 addr = cpu < HELD_CPUS ? held_addr[cpu] : 0, lock = 0;

	if (addr)
		bpf_probe_read_kernel(&lock, sizeof(lock), (void *)(addr + 8 + i * 8));
	return lock;
}

/* The newest lock of a CPU that is in the span, without its last skip entries; 0: none. */
static __noinline __u64 newest_within(__u32 cpu, const struct span *s, __u32 skip)
{
	__u32 nr = table_nr(cpu), i;
	__u64 found = 0;

	if (!s)
		return 0;
	bpf_for(i, 0, HELD_ENTRIES) {
		__u64 lock;

		if (i + skip >= nr)
			break;
		lock = table_lock(cpu, i);
		if (lock && span_has(s, lock))
			found = lock;
	}
	return found;
}

static __noinline bool has_lock(__u32 cpu, __u64 wanted)
{
	struct span s = { wanted, 1 };

	return newest_within(cpu, &s, 0);
}

/* A lock in the span that another CPU holds while it waits for one of ours; 0: none. */
static __noinline __u64 crossed_lock(__u32 own, const struct span *s)
{
	__u64 found = 0;
	__u32 cpu;

	if (!s)
		return 0;
	bpf_for(cpu, 0, nr_cpus) {
		__u32 nr = table_nr(cpu);
		__u64 lock;

		if (cpu == own || nr < 2 || !has_lock(own, table_lock(cpu, nr - 1)))
			continue;
		lock = newest_within(cpu, s, 1);
		if (lock)
			found = lock;
	}
	return found;
}

static __noinline bool others_hold(__u32 own, const struct span *s)
{
	bool found = false;
	__u32 cpu;

	if (!s)
		return false;
	bpf_for(cpu, 0, nr_cpus) {
		if (cpu != own && newest_within(cpu, s, 0))
			found = true;
	}
	return found;
}

/* ABBA: the lock that the other side holds. AA: the newest one that this CPU holds. */
static __always_inline void find_bucket(struct witness *w, const struct span *buckets)
{
	__u64 crossed, held;

	if (w->err != -EDEADLK || !buckets->base)
		return;
	crossed = crossed_lock(w->cpu, buckets);
	held = newest_within(w->cpu, buckets, 0);
	w->lock = crossed ? crossed : held;
}

static __always_inline void told_fill(void *ctx, struct witness_place *at, struct witness_told *w,
				      const struct bpf_map *map)
{
	struct witness_tables *d;

	w->stack_len = bpf_get_stack(ctx, w->stack, sizeof(w->stack), 0);
	d = witness_details(at, &w->w);
	if (d) {
		witness_copy_tables(d, w->w.cpu);
		witness_use_own(&w->w, &d->own, false);
		/* -EDEADLK is AA or ABBA; it is not AA if this CPU holds no such lock. */
		if (!w->w.lock && w->w.err == -EDEADLK && d->own.nr && d->own.nr <= WITNESS_LOCKS)
			w->w.told = RQSPIN_ABBA;
	}
	witness_count(at, w,
		      witness_stack_key(w->stack, w->stack_len, text_start, text_size,
					witness_mix(witness_mix(w->w.lock, w->w.map_id),
						    w->w.told | (__u64)w->w.err << 8)));
	names_map(names_begin(at), map);
	names_by_stack(at->names, w);
	witness_publish(at, &w->w, d);
}

static __always_inline struct witness_told *
told_begin(struct witness_place *at, const struct bpf_map *map, int err, int returned)
{
	struct witness_told *w = witness_reserve(at);

	if (!w)
		return NULL;
	w->w.kind = WITNESS_MAP_OP;
	w->w.err = err;
	w->w.returned = -returned;
	w->w.map_id = BPF_CORE_READ(map, id);
	return w;
}

static __always_inline bool is_lock_error(long ret)
{
	return ret == -EDEADLK || ret == -ETIMEDOUT;
}

/* The operation does not say which bucket it was. */
static __always_inline int bucket_op(void *ctx, struct bpf_map *map, long ret)
{
	struct bpf_htab *htab = (void *)map;
	struct span buckets = {};
	struct witness_place at;
	struct witness_told *w;

	if (!is_lock_error(ret))
		return 0;
	w = told_begin(&at, map, ret, ret);
	if (!w)
		return 0;
	buckets.base = (__u64)BPF_CORE_READ(htab, buckets);
	buckets.size = (__u64)BPF_CORE_READ(htab, n_buckets) * bpf_core_type_size(struct bucket);
	find_bucket(&w->w, &buckets);
	told_fill(ctx, &at, w, map);
	return 0;
}

/* This CPU's part of a per-CPU pointer. */
static __always_inline struct span own_part(const void *ptr, __u32 size)
{
	__u32 cpu = bpf_get_smp_processor_id();
	__u64 delta = cpu < HELD_CPUS ? percpu_delta[cpu] : 0;

	return (struct span){ delta && ptr ? (__u64)ptr + delta : 0, size };
}

/*
 * The operation fails as if the map were full. It tries this CPU's list first: if this CPU holds
 * that list's lock already, the lock is the reason.
 */
static __always_inline bool list_op(void *ctx, struct bpf_map *map, const struct span *list,
				    int returned)
{
	__u32 cpu = bpf_get_smp_processor_id();
	struct witness_place at;
	struct witness_told *w;
	__u64 lock;

	lock = list->base ? newest_within(cpu, list, 0) : 0;
	if (!lock)
		return false;
	w = told_begin(&at, map, -EDEADLK, returned);
	if (!w)
		return true;
	w->w.lock = lock;
	told_fill(ctx, &at, w, map);
	return true;
}

static __always_inline int lru_op(void *ctx, struct bpf_map *map, long ret)
{
	struct bpf_htab *htab = (void *)map;
	struct span own, shared = { (__u64)htab, bpf_core_type_size(struct bpf_htab) };

	if (ret != -ENOMEM)
		return bucket_op(ctx, map, ret);
	if (BPF_CORE_READ(htab, lru.percpu)) {
		own = own_part(BPF_CORE_READ(htab, lru.percpu_lru),
			       bpf_core_type_size(struct bpf_lru_list));
		shared.size = 0;
	} else {
		own = own_part(BPF_CORE_READ(htab, lru.common_lru.local_list),
			       bpf_core_type_size(struct bpf_lru_locallist));
	}
	if (list_op(ctx, map, &own, ret) || list_op(ctx, map, &shared, ret))
		return 0;
	/* Or nothing could be evicted: that looks the same as a deadlock with another CPU. */
	if (others_hold(bpf_get_smp_processor_id(), &own) ||
	    others_hold(bpf_get_smp_processor_id(), &shared))
		witness_unsure();
	return 0;
}

/* If a lock keeps free elements from being taken, the map looks full, too. */
static __always_inline int insert_op(void *ctx, struct bpf_map *map, long ret)
{
	struct bpf_htab *htab = (void *)map;
	struct span own;

	if (ret != -E2BIG)
		return bucket_op(ctx, map, ret);
	if (BPF_CORE_READ(map, map_flags) & NO_PREALLOC)
		return 0;
	own = own_part(BPF_CORE_READ(htab, freelist.freelist),
		       bpf_core_type_size(struct pcpu_freelist_head));
	list_op(ctx, map, &own, ret);
	return 0;
}

static __always_inline long result_of(void *ctx)
{
	__u64 ret = 0;

	bpf_get_func_ret(ctx, &ret);
	return (int)ret;
}

/* Kernels differ in the number of parameters; the first one is always the map. */
#define WATCH(function, op)                                                \
	SEC("?fexit/" #function)                                           \
	int function(__u64 *ctx)                                           \
	{                                                                  \
		__u64 map = 0;                                             \
                                                                           \
		if (result_of(ctx) >= 0 || bpf_get_func_arg(ctx, 0, &map)) \
			return 0;                                          \
		return op(ctx, (struct bpf_map *)map, result_of(ctx));     \
	}

WATCH(htab_map_update_elem, insert_op)
WATCH(htab_percpu_map_update_elem, insert_op)
WATCH(htab_lru_map_update_elem, lru_op)
WATCH(htab_lru_percpu_map_update_elem, lru_op)
WATCH(htab_map_delete_elem, bucket_op)
WATCH(htab_lru_map_delete_elem, bucket_op)
WATCH(htab_map_lookup_and_delete_elem, bucket_op)
WATCH(htab_percpu_map_lookup_and_delete_elem, bucket_op)
WATCH(htab_lru_map_lookup_and_delete_elem, bucket_op)
WATCH(htab_lru_percpu_map_lookup_and_delete_elem, bucket_op)
WATCH(htab_map_lookup_batch, bucket_op)
WATCH(htab_percpu_map_lookup_batch, bucket_op)
WATCH(htab_lru_map_lookup_batch, bucket_op)
WATCH(htab_lru_percpu_map_lookup_batch, bucket_op)
WATCH(htab_map_lookup_and_delete_batch, bucket_op)
WATCH(htab_percpu_map_lookup_and_delete_batch, bucket_op)
WATCH(htab_lru_map_lookup_and_delete_batch, bucket_op)
WATCH(htab_lru_percpu_map_lookup_and_delete_batch, bucket_op)

/* Local storage: the lock is in the owner's storage or in the map; which one is not known. */
static __always_inline int storage_op(void *ctx, struct bpf_map *map, long err)
{
	struct witness_place at;
	struct witness_told *w;

	if (!is_lock_error(err))
		return 0;
	w = told_begin(&at, map, err, err);
	if (w)
		told_fill(ctx, &at, w, map);
	return 0;
}

SEC("?fexit/bpf_local_storage_update")
int bpf_local_storage_update(__u64 *ctx)
{
	__u64 ret = 0, map = 0;

	bpf_get_func_ret(ctx, &ret);
	if (ret < (__u64)-MAX_ERRNO || bpf_get_func_arg(ctx, 1, &map))
		return 0;
	return storage_op(ctx, (struct bpf_map *)map, ret);
}

SEC("?fexit/bpf_selem_unlink")
int bpf_selem_unlink(__u64 *ctx)
{
	struct bpf_local_storage_map *smap;
	__u64 selem = 0;

	if (result_of(ctx) >= 0 || bpf_get_func_arg(ctx, 0, &selem))
		return 0;
	smap = BPF_CORE_READ((struct bpf_local_storage_elem *)selem, sdata.smap);
	return storage_op(ctx, (struct bpf_map *)smap, result_of(ctx));
}
