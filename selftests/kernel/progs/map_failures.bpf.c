// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * A given number of failures of the locks inside maps. Each map changes some
 * word of its own only while its lock is held: a hardware breakpoint on that
 * word starts a program on top of the operation, and the program wants the same
 * lock. User space sets the breakpoints.
 */
#include "test_kfuncs.h"
#include <bpf/bpf_core_read.h>
#include "map_failures.h"

/* One element, so one bucket: nested operations want the bucket that is locked. */
struct {
	__uint(type, BPF_MAP_TYPE_HASH);
	__uint(max_entries, 1);
	__type(key, __u32);
	__type(value, __u64);
} hash SEC(".maps"), other_hash SEC(".maps");

struct {
	__uint(type, BPF_MAP_TYPE_PERCPU_HASH);
	__uint(max_entries, 1);
	__type(key, __u32);
	__type(value, __u64);
} hash_cpu SEC(".maps");

struct {
	__uint(type, BPF_MAP_TYPE_LRU_HASH);
	__uint(max_entries, 1);
	__type(key, __u32);
	__type(value, __u64);
} lru_one SEC(".maps");

struct {
	__uint(type, BPF_MAP_TYPE_LRU_HASH);
	__uint(max_entries, LRU_ELEMS);
	__type(key, __u32);
	__type(value, __u64);
} lru SEC(".maps");

struct {
	__uint(type, BPF_MAP_TYPE_LRU_HASH);
	__uint(map_flags, BPF_F_NO_COMMON_LRU);
	__uint(max_entries, 64);
	__type(key, __u32);
	__type(value, __u64);
} lru_cpu SEC(".maps");

/* Elements for a list of each CPU. */
struct {
	__uint(type, BPF_MAP_TYPE_HASH);
	__uint(map_flags, BPF_F_ZERO_SEED); /* the same buckets in every run */
	__uint(max_entries, FREE_ELEMS);
	__type(key, __u32);
	__type(value, __u64);
} free_hash SEC(".maps");

struct {
	__uint(type, BPF_MAP_TYPE_HASH);
	__uint(map_flags, BPF_F_ZERO_SEED);
	__uint(max_entries, BATCH_SIZE);
	__type(key, __u32);
	__type(value, __u64);
} batch_hash SEC(".maps");

struct {
	__uint(type, BPF_MAP_TYPE_LRU_HASH);
	__uint(map_flags, BPF_F_ZERO_SEED);
	__uint(max_entries, BATCH_SIZE);
	__type(key, __u32);
	__type(value, __u64);
} batch_lru SEC(".maps");

/* Without a seed keys 0 and 1 have two buckets. */
struct {
	__uint(type, BPF_MAP_TYPE_HASH);
	__uint(map_flags, BPF_F_ZERO_SEED);
	__uint(max_entries, 2);
	__type(key, __u32);
	__type(value, __u64);
} full_hash SEC(".maps");

/* User space deletes on one CPU, so both free buckets are in the end in that CPU's list. */
struct {
	__uint(type, BPF_MAP_TYPE_STACK_TRACE);
	__uint(max_entries, STACKS);
	__uint(key_size, sizeof(__u32));
	__uint(value_size, 16 * sizeof(__u64));
} stacks SEC(".maps");

struct trie_key {
	__u32 prefixlen;
	__u32 data;
};

struct {
	__uint(type, BPF_MAP_TYPE_LPM_TRIE);
	__uint(map_flags, BPF_F_NO_PREALLOC);
	__uint(max_entries, 4);
	__type(key, struct trie_key);
	__type(value, __u64);
} trie SEC(".maps");

struct {
	__uint(type, BPF_MAP_TYPE_RINGBUF);
	__uint(max_entries, 65536);
} ringbuf SEC(".maps");

struct {
	__uint(type, BPF_MAP_TYPE_QUEUE);
	__uint(max_entries, 4);
	__type(value, __u64);
} queue SEC(".maps");

struct {
	__uint(type, BPF_MAP_TYPE_STACK);
	__uint(max_entries, 4);
	__type(value, __u64);
} stack SEC(".maps");

extern const void __per_cpu_offset __ksym;

/* Set by user space: the place, the CPUs, and the ids of the maps in places. */
enum place place;
__u32 cpu, other_cpu;
struct place_addr places[NR_PLACES];
__u64 own_free; /* the first free element of this CPU's list */
__u64 wanted;
__u32 last_key; /* the last of the keys that are inserted in sequence */
__u32 free_keys;
/* Results of nested operations, and failures of those below. refused: failed without an errno. */
__u64 edeadlk, etimedout, refused, other, nested_ok, outer_failed;
__s64 other_err; /* the last one that was counted in other */
/* A lock is held until user space has seen enough. */
__u32 holding, release;
/* Two sides hold a lock each and want the other's. */
__u32 arrived, crossed[2], missed;

static __u64 percpu_of(const void *ptr, __u32 which)
{
	__u64 offset = 0;

	bpf_probe_read_kernel(&offset, sizeof(offset), &__per_cpu_offset + which * sizeof(offset));
	return (__u64)ptr + offset;
}

static __u64 percpu_own(const void *ptr)
{
	return percpu_of(ptr, cpu);
}

/* 0: the kernel's type has no such field. */
#define field(type, name) \
	(bpf_core_field_exists(type, name) ? bpf_core_field_offset(type, name) : 0)

static void place_set(enum place at, __u64 word_base, __u64 word_offset, __u32 len, __u64 lock_base,
		      __u64 lock_offset)
{
	places[at].word = word_base + word_offset;
	places[at].word_len = len;
	places[at].lock = lock_base + lock_offset;
}

static void find_bucket(enum place at, struct bpf_htab *htab)
{
	__u64 bucket = (__u64)BPF_CORE_READ(htab, buckets);

	place_set(at, bucket, field(struct bucket, head), 8, bucket,
		  field(struct bucket, raw_lock));
}

/* The count of nodes changes with the lock of the list and that of the CPU's own list held. */
static void find_lru(enum place at, struct bpf_htab *htab)
{
	__u64 list = (__u64)htab + field(struct bpf_htab, lru.common_lru.lru_list);
	__u64 own = percpu_own(BPF_CORE_READ(htab, lru.common_lru.local_list));

	place_set(at, list, field(struct bpf_lru_list, counts), 8, own,
		  field(struct bpf_lru_locallist, lock));
}

static void find_lru_cpu(struct bpf_htab *htab)
{
	__u64 list = percpu_own(BPF_CORE_READ(htab, lru.percpu_lru));

	place_set(AT_LRU_CPU, list, field(struct bpf_lru_list, counts), 8, list,
		  field(struct bpf_lru_list, lock));
}

/* The list of the other CPU: this CPU takes from it when its own list is empty. */
static void find_free_list(struct bpf_htab *htab)
{
	const void *lists = BPF_CORE_READ(htab, freelist.freelist);
	__u64 list = percpu_of(lists, other_cpu);

	place_set(AT_FREE_LIST, list, field(struct pcpu_freelist_head, first), 8, list,
		  field(struct pcpu_freelist_head, lock));
	own_free = percpu_own(lists) + field(struct pcpu_freelist_head, first);
}

static void find_stacks(struct bpf_stack_map *smap)
{
	__u64 list = percpu_own(BPF_CORE_READ(smap, freelist.freelist));

	place_set(AT_STACKID, list, field(struct pcpu_freelist_head, first), 8, list,
		  field(struct pcpu_freelist_head, lock));
}

static void find_last_bucket(enum place at, struct bpf_htab *htab)
{
	__u64 bucket = (__u64)BPF_CORE_READ(htab, buckets) +
		       (BATCH_SIZE - 1) * bpf_core_type_size(struct bucket);

	place_set(at, bucket, field(struct bucket, head), 8, bucket,
		  field(struct bucket, raw_lock));
}

/* The CPU's spare element, which takes the place of a replaced one. */
static void find_spare(struct bpf_htab *htab)
{
	place_set(AT_REPLACE, percpu_own(BPF_CORE_READ(htab, extra_elems)), 0, 8, 0, 0);
}

static void find_queue(enum place at, __u64 map)
{
	place_set(at, map, field(struct bpf_queue_stack, head), 4, map,
		  field(struct bpf_queue_stack, lock));
}

static void find_trie(__u64 map)
{
	place_set(AT_LPM, map, field(struct lpm_trie, n_entries), 8, map,
		  field(struct lpm_trie, lock));
}

struct bpf_ringbuf_map___own {
	struct bpf_ringbuf *rb;
} __attribute__((preserve_access_index));

static void find_ringbuf(enum place at, struct bpf_ringbuf_map___own *map)
{
	__u64 rb = (__u64)BPF_CORE_READ(map, rb);

	place_set(at, rb, field(struct bpf_ringbuf, producer_pos), 8, rb,
		  field(struct bpf_ringbuf, spinlock));
}

static void place_find(enum place at, struct bpf_map *map)
{
	switch (at) {
	case AT_LRU_LIST:
	case AT_LRU_DELETE:
		find_lru(at, (void *)map);
		break;
	case AT_LRU_CPU:
		find_lru_cpu((void *)map);
		break;
	case AT_LPM:
		find_trie((__u64)map);
		break;
	case AT_OUTPUT:
	case AT_RESERVE:
	case AT_DYNPTR:
		find_ringbuf(at, (void *)map);
		break;
	case AT_QUEUE:
	case AT_STACK:
		find_queue(at, (__u64)map);
		break;
	case AT_FREE_LIST:
		find_free_list((void *)map);
		break;
	case AT_STACKID:
		find_stacks((void *)map);
		break;
	case AT_BATCH:
	case AT_BATCH_LRU:
		find_last_bucket(at, (void *)map);
		break;
	case AT_REPLACE:
		find_spare((void *)map);
		break;
	default:
		find_bucket(at, (void *)map);
	}
}

SEC("iter/bpf_map")
int find_places(struct bpf_iter__bpf_map *ctx)
{
	struct bpf_map *map = ctx->map;
	int i;

	for (i = 0; map && i < NR_PLACES; i++)
		if (places[i].map_id == map->id)
			place_find(i, map);
	return 0;
}

static __always_inline bool failures_enough(void)
{
	return edeadlk + etimedout + refused + other >= wanted;
}

static __always_inline void count_other(long err)
{
	__sync_fetch_and_add(&other, 1);
	other_err = err;
}

static __always_inline void result_count(long err)
{
	if (!err)
		__sync_fetch_and_add(&nested_ok, 1);
	else if (err == -EDEADLK)
		__sync_fetch_and_add(&edeadlk, 1);
	else if (err == -ETIMEDOUT)
		__sync_fetch_and_add(&etimedout, 1);
	else
		count_other(err);
}

SEC("perf_event")
int on_hash(void *ctx)
{
	__u64 value = 1;
	__u32 key = 0;

	if (!failures_enough())
		result_count(bpf_map_update_elem(&hash, &key, &value, BPF_ANY));
	return 0;
}

SEC("perf_event")
int on_hash_cpu(void *ctx)
{
	__u32 key = 0;

	if (!failures_enough())
		result_count(bpf_map_delete_elem(&hash_cpu, &key));
	return 0;
}

SEC("perf_event")
int on_lru_bucket(void *ctx)
{
	__u32 key = 0;

	if (!failures_enough())
		result_count(bpf_map_delete_elem(&lru_one, &key));
	return 0;
}

SEC("perf_event")
int on_lru_list(void *ctx)
{
	__u64 value = 1;
	__u32 key = 0;

	if (!failures_enough())
		result_count(bpf_map_update_elem(&lru, &key, &value, BPF_ANY));
	return 0;
}

/* The newest node is in the locked list. It is deleted; it is freed later, under the lock. */
SEC("perf_event")
int on_lru_delete(void *ctx)
{
	if (!failures_enough() && !bpf_map_delete_elem(&lru, &last_key))
		__sync_fetch_and_add(&refused, 1);
	return 0;
}

SEC("perf_event")
int on_lru_cpu(void *ctx)
{
	__u64 value = 1;
	__u32 key = 0;

	if (!failures_enough())
		result_count(bpf_map_update_elem(&lru_cpu, &key, &value, BPF_ANY));
	return 0;
}

SEC("perf_event")
int on_lpm(void *ctx)
{
	struct trie_key key = { .prefixlen = 32, .data = 2 };
	__u64 value = 1;

	if (!failures_enough())
		result_count(bpf_map_update_elem(&trie, &key, &value, BPF_ANY));
	return 0;
}

SEC("perf_event")
int on_output(void *ctx)
{
	__u64 value = 1;

	if (!failures_enough())
		result_count(bpf_ringbuf_output(&ringbuf, &value, sizeof(value), BPF_RB_NO_WAKEUP));
	return 0;
}

/* The ring has room: without a record the lock has failed. */
SEC("perf_event")
int on_reserve(void *ctx)
{
	void *record;

	if (failures_enough())
		return 0;
	record = bpf_ringbuf_reserve(&ringbuf, 8, 0);
	if (record)
		bpf_ringbuf_discard(record, BPF_RB_NO_WAKEUP);
	__sync_fetch_and_add(record ? &nested_ok : &refused, 1);
	return 0;
}

static __always_inline long reserve_dynptr(void)
{
	struct bpf_dynptr record;
	long err;

	err = bpf_ringbuf_reserve_dynptr(&ringbuf, 8, 0, &record);
	bpf_ringbuf_discard_dynptr(&record, BPF_RB_NO_WAKEUP);
	return err;
}

SEC("perf_event")
int on_dynptr(void *ctx)
{
	if (!failures_enough())
		result_count(reserve_dynptr());
	return 0;
}

SEC("perf_event")
int on_queue(void *ctx)
{
	__u64 value = 1;

	if (!failures_enough())
		result_count(bpf_map_push_elem(&queue, &value, BPF_EXIST));
	return 0;
}

SEC("perf_event")
int on_stack(void *ctx)
{
	__u64 value;

	if (!failures_enough())
		result_count(bpf_map_pop_elem(&stack, &value));
	return 0;
}

/* Stacks with other numbers of skipped frames differ. */
static __always_inline long stack_take(void *ctx, __u64 skip)
{
	long id = bpf_get_stackid(ctx, &stacks, BPF_F_REUSE_STACKID | skip);

	return id < 0 ? id : 0;
}

SEC("perf_event")
int on_stackid(void *ctx)
{
	if (!failures_enough())
		result_count(stack_take(ctx, 0));
	return 0;
}

/* While the spare element is in use. */
SEC("perf_event")
int on_replace(void *ctx)
{
	__u64 spare = 0, value = 1;
	__u32 key = 1;

	bpf_probe_read_kernel(&spare, sizeof(spare), (void *)places[AT_REPLACE].word);
	if (!spare && !failures_enough())
		result_count(bpf_map_update_elem(&full_hash, &key, &value, BPF_EXIST));
	return 0;
}

static __noinline bool owner_released(void)
{
	while (may_loop) {
		if (*(volatile __u32 *)&release)
			return true;
	}
	return false;
}

/*
 * Hold the map's lock, with interrupts off: not for ever, but longer than any limit (1 s) if
 * 8 million turns take 50 ms or more.
 */
SEC("perf_event")
int on_stay(void *ctx)
{
	int i;

	if (*(volatile __u32 *)&release || holding)
		return 0;
	holding = 1;
	for (i = 0; i < 32; i++) {
		if (owner_released())
			return 0;
	}
	missed = 1;
	return 0;
}

static __noinline bool both_arrived(void)
{
	while (may_loop) {
		if (*(volatile __u32 *)&arrived >= 2)
			return true;
	}
	return false;
}

/* Once in a round; false if the other side does not come. */
static __always_inline bool sides_meet(__u32 side)
{
	if (crossed[side])
		return false;
	crossed[side] = 1;
	__sync_fetch_and_add(&arrived, 1);
	if (both_arrived() || both_arrived() || both_arrived() || both_arrived())
		return true;
	missed = 1;
	return false;
}

SEC("perf_event")
int cross_0(void *ctx)
{
	__u64 value = 1;
	__u32 key = 0;

	if (sides_meet(0))
		result_count(bpf_map_update_elem(&other_hash, &key, &value, BPF_ANY));
	return 0;
}

SEC("perf_event")
int cross_1(void *ctx)
{
	__u64 value = 1;
	__u32 key = 0;

	if (sides_meet(1))
		result_count(bpf_map_update_elem(&hash, &key, &value, BPF_ANY));
	return 0;
}

static __always_inline long map_insert(void *map)
{
	__u64 value = 1;
	__u32 key = 0;

	return bpf_map_update_elem(map, &key, &value, BPF_ANY);
}

/* New keys fill the list of the CPU; then nodes come from the other lists. */
static __always_inline long insert_next(void *map)
{
	__u32 key = last_key + 1;
	__u64 value = 1;
	long err;

	err = bpf_map_update_elem(map, &key, &value, BPF_ANY);
	last_key = key;
	return err;
}

static __always_inline long replace_in_turn(void *map)
{
	__u32 key = last_key++ % BATCH_ELEMS;
	__u64 value = 1;

	return bpf_map_update_elem(map, &key, &value, BPF_ANY);
}

/* The map is full: the other element is the nested program's. */
static __always_inline long replace_in_full(void)
{
	__u64 value = 1;
	__u32 key = 1;

	bpf_map_update_elem(&full_hash, &key, &value, BPF_NOEXIST);
	return map_insert(&full_hash);
}

/* Two CPUs at once have two keys, so two buckets. */
static __always_inline long insert_free(void)
{
	__u32 key = __sync_fetch_and_add(&free_keys, 1);
	__u64 value = 1;

	return bpf_map_update_elem(&free_hash, &key, &value, BPF_ANY);
}

/* Delete first: an existing element would be written in place. */
static __always_inline long replace_cpu(void)
{
	__u32 key = 0;

	bpf_map_delete_elem(&hash_cpu, &key);
	return map_insert(&hash_cpu);
}

static __always_inline long insert_prefix(void)
{
	struct trie_key key = { .prefixlen = 32, .data = 1 };
	__u64 value = 1;

	long err;

	err = bpf_map_update_elem(&trie, &key, &value, BPF_ANY);
	return err ? err : bpf_map_delete_elem(&trie, &key);
}

static __always_inline long place_operate(enum place at)
{
	__u64 value = 1;

	switch (at) {
	case AT_HASH:
		return map_insert(&hash);
	case AT_OTHER_HASH:
		return map_insert(&other_hash);
	case AT_HASH_CPU:
		return replace_cpu();
	case AT_LRU_BUCKET:
		return map_insert(&lru_one);
	case AT_LRU_LIST:
	case AT_LRU_DELETE:
		return insert_next(&lru);
	case AT_LRU_CPU:
		return insert_next(&lru_cpu);
	case AT_LPM:
		return insert_prefix();
	case AT_OUTPUT:
	case AT_RESERVE:
		return bpf_ringbuf_output(&ringbuf, &value, sizeof(value), BPF_RB_NO_WAKEUP);
	case AT_DYNPTR:
		return reserve_dynptr();
	case AT_QUEUE:
		return bpf_map_push_elem(&queue, &value, BPF_EXIST);
	case AT_STACK:
		return bpf_map_push_elem(&stack, &value, BPF_EXIST);
	case AT_FREE_LIST:
		return insert_free();
	case AT_BATCH:
		return replace_in_turn(&batch_hash);
	case AT_BATCH_LRU:
		return replace_in_turn(&batch_lru);
	case AT_REPLACE:
		return replace_in_full();
	default:
		return -EDEADLK;
	}
}

/* The operation that is interrupted. */
SEC("tc")
int below(struct __sk_buff *ctx)
{
	if (place_operate(place))
		__sync_fetch_and_add(&outer_failed, 1);
	return 0;
}

SEC("raw_tp")
int take_stack(void *ctx)
{
	if (stack_take(ctx, 0))
		__sync_fetch_and_add(&outer_failed, 1);
	return 0;
}

SEC("raw_tp")
int take_other_stack(void *ctx)
{
	if (stack_take(ctx, 1))
		__sync_fetch_and_add(&outer_failed, 1);
	return 0;
}

SEC("raw_tp")
int want_stack(void *ctx)
{
	result_count(stack_take(ctx, 0));
	return 0;
}

static __always_inline bool has_own_free(void)
{
	__u64 first = 0;

	bpf_probe_read_kernel(&first, sizeof(first), (void *)own_free);
	return first;
}

/* Empties this CPU's list, so that it takes further elements from the lists of others. */
SEC("tc")
int use_own_free(struct __sk_buff *ctx)
{
	int i;

	bpf_for(i, 0, FREE_ELEMS) {
		if (!has_own_free() || insert_free())
			break;
	}
	return 0;
}

/* The CPU takes nodes from the common list when its own list, of a few nodes, is used up. */
static __always_inline long fill_own_list(void)
{
	long err = 0;
	int i;

	bpf_for(i, 0, LRU_ELEMS) {
		err = insert_next(&lru);
		if (err)
			break;
	}
	return err;
}

/* One operation that wants a lock whose owner does not release it. */
SEC("tc")
int behind(struct __sk_buff *ctx)
{
	if (place == AT_LRU_LIST)
		result_count(fill_own_list());
	else
		result_count(place == AT_HASH_CPU ? map_insert(&hash_cpu) : place_operate(place));
	return 0;
}

SEC("tc")
int below_other(struct __sk_buff *ctx)
{
	if (place_operate(AT_OTHER_HASH))
		__sync_fetch_and_add(&outer_failed, 1);
	return 0;
}

char _license[] SEC("license") = "Dual BSD/GPL";
