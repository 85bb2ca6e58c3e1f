// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Loops without an end, and loops that are too long with interrupts off: docs/holes.md. Beside
 * each refused program is a similar one that is fine.
 */
#include "locks.h"

extern int bpf_iter_num_new(struct bpf_iter_num *it, int start, int end) __weak __ksym;
extern int *bpf_iter_num_next(struct bpf_iter_num *it) __weak __ksym;
extern void bpf_iter_num_destroy(struct bpf_iter_num *it) __weak __ksym;
extern int bpf_iter_bits_new(struct bpf_iter_bits *it, const __u64 *unsafe_ptr__ign,
			     __u32 nr_words) __weak __ksym;
extern int *bpf_iter_bits_next(struct bpf_iter_bits *it) __weak __ksym;
extern void bpf_iter_bits_destroy(struct bpf_iter_bits *it) __weak __ksym;

#define NESTED_LOOPS "nested loops may run more than 8388608 times"
#define GLOBAL_LOOPS "global functions that may turn interrupts on or loop are not allowed"
#define ENDLESS	     "infinite loop detected|BPF program is too large"

/* More turns than one iterator, or one bpf_loop(), can make. */
#define TOO_MANY (3U << 22)

__u32 many = 1 << 23;
__u64 rounds, sink, words[2] = { 0x5, 0x9 };

/*
 * Endless loops. On kernels that accept them they end by a counter. With a plain jump back to the
 * call itself the verifier compares states at the call only.
 */

/* Iterators that are created one after the other, each advanced only once. */
#define RECREATE                                        \
	"r1 = r6;"                                      \
	"call %[bpf_iter_num_destroy];"                 \
	"r1 = %[rounds] ll;"                            \
	"r2 = *(u64 *)(r1 + 0);"                        \
	"r2 += 1;"                                      \
	"*(u64 *)(r1 + 0) = r2;"                        \
	"r3 = %[too_many];"                             \
	"r3 -= r2;"                                     \
	"r3 >>= 2;" /* shorter than the longest loop */ \
	"r1 = r6;"                                      \
	"r2 = 0;"                                       \
	"call %[bpf_iter_num_new];"

#define FIRST                       \
	"r6 = r10;"                 \
	"r6 += -8;"                 \
	"r1 = r6;"                  \
	"r2 = 0;"                   \
	"r3 = 1;"                   \
	"call %[bpf_iter_num_new];" \
	"r1 = r6;"

#define LAST       \
	"r1 = r6;" \
	"call %[bpf_iter_num_destroy];"

#define RECREATED                                 \
	FIRST                                     \
	"1: call %[bpf_iter_num_next];"           \
	"if r0 == 0 goto 2f;" RECREATE "r1 = r6;" \
	"goto 1b;"                                \
	"2:" LAST

#define ITER_ARGS                                                             \
	[rounds] "i"(&rounds), [too_many] "i"(TOO_MANY), [lock] "i"(&lock_a), \
		[bpf_iter_num_new] "i"(bpf_iter_num_new),                     \
		[bpf_iter_num_next] "i"(bpf_iter_num_next),                   \
		[bpf_iter_num_destroy] "i"(bpf_iter_num_destroy),             \
                                                                              \
		[bpf_res_spin_lock] "i"(bpf_res_spin_lock),                   \
		[bpf_res_spin_unlock] "i"(bpf_res_spin_unlock), [bpf_get_prandom_u32] "i"(7)

#define CLOBBERS "r0", "r1", "r2", "r3", "r4", "r5", "r6"

SEC("?tc")
__hole("endless-loops")
__refused_re(ENDLESS)
__attribute__((naked)) int recreated(void)
{
	asm volatile(RECREATED "r0 = 0;"
			       "exit;"
		     :
		     : ITER_ARGS
		     : CLOBBERS);
}

SEC("?tc")
__hole("endless-loops")
__refused_re(ENDLESS)
__attribute__((naked)) int recreated_under_lock(void)
{
	asm volatile("r1 = %[lock] ll;"
		     "call %[bpf_res_spin_lock];"
		     "if w0 != 0 goto 3f;" RECREATED "r1 = %[lock] ll;"
		     "call %[bpf_res_spin_unlock];"
		     "3: r0 = 0;"
		     "exit;"
		     :
		     : ITER_ARGS
		     : CLOBBERS);
}

/* The verifier sees the path without a new iterator first; behind it the two paths are the same. */
SEC("?tc")
__hole("endless-loops")
__refused_re(ENDLESS)
__attribute__((naked)) int recreated_now_and_then(void)
{
	asm volatile(FIRST "1: call %[bpf_iter_num_next];"
			   "if r0 == 0 goto 4f;"
			   "call %[bpf_get_prandom_u32];"
			   "if w0 != 42 goto 3f;"
			   "r1 = 0;"
			   "r2 = 0;"
			   "r3 = 0;"
			   "r4 = 0;"
			   "r5 = 0;"
			   "2: r0 = 0;"
			   "r1 = r6;"
			   "r2 = 0;"
			   "r3 = 0;"
			   "r4 = 0;"
			   "r5 = 0;"
			   "goto 1b;"
			   "3:" RECREATE "r1 = 0;"
			   "r2 = 0;"
			   "r3 = 0;"
			   "r4 = 0;"
			   "r5 = 0;"
			   "goto 2b;"
			   "4:" LAST "r0 = 0;"
			   "exit;"
		     :
		     : ITER_ARGS
		     : CLOBBERS);
}

/* In another iterator's loop an iterator may be created any number of times. */
SEC("?tc")
__returns(12)
int recreated_in_a_loop(struct __sk_buff *ctx)
{
	struct bpf_iter_num i, j;
	__u64 before = sink;

	bpf_iter_num_new(&i, 0, many >> 21);
	while (bpf_iter_num_next(&i)) {
		bpf_iter_num_new(&j, 0, many >> 22);
		while (bpf_iter_num_next(&j))
			sink++;
		bpf_iter_num_destroy(&j);
		if (bpf_get_prandom_u32() == 42)
			rounds++;
		bpf_iter_num_new(&j, 0, 1);
		while (bpf_iter_num_next(&j))
			sink++;
		bpf_iter_num_destroy(&j);
	}
	bpf_iter_num_destroy(&i);
	return (int)(sink - before);
}

/* The verifier counts the turns of this loop itself. */
SEC("?tc")
__returns(40)
int recreated_ten_times(struct __sk_buff *ctx)
{
	struct bpf_iter_num it;
	__u64 before = sink;
	int i;

	if (bpf_res_spin_lock(&lock_a))
		return 0;

#pragma clang loop unroll(disable)
	for (i = 0; i < 10; i++) {
		bpf_iter_num_new(&it, 0, many >> 21);
		while (bpf_iter_num_next(&it))
			sink++;
		bpf_iter_num_destroy(&it);
	}
	bpf_res_spin_unlock(&lock_a);
	return (int)(sink - before);
}

static long in_a_callback(__u32 index, void *ctx)
{
	struct bpf_iter_num it;

	bpf_iter_num_new(&it, 0, 2);
	while (bpf_iter_num_next(&it))
		sink++;
	bpf_iter_num_destroy(&it);
	return 0;
}

SEC("?tc")
__returns(6)
int recreated_in_a_callback(struct __sk_buff *ctx)
{
	__u64 before = sink;

	bpf_loop(3, in_a_callback, NULL, 0);
	return (int)(sink - before);
}

static __attribute__((used)) long count_round(__u32 index, void *ctx)
{
	sink++;
	return 0;
}

SEC("?tc")
__hole("endless-loops")
__refused_re(ENDLESS)
__attribute__((naked)) int called_again(void)
{
	asm volatile("r1 = 1;"
		     "r7 = %[count] ll;"
		     "r2 = r7;"
		     "r3 = 0;"
		     "r4 = 0;"
		     "1: call %[bpf_loop];"
		     "r1 = %[rounds] ll;"
		     "r2 = *(u64 *)(r1 + 0);"
		     "r2 += 1;"
		     "*(u64 *)(r1 + 0) = r2;"
		     "if r2 > %[too_many] goto 2f;"
		     "r1 = 1;"
		     "r2 = r7;"
		     "r3 = 0;"
		     "r4 = 0;"
		     "goto 1b;"
		     "2: r0 = 0;"
		     "exit;"
		     :
		     : [count] "i"(count_round), [rounds] "i"(&rounds), [too_many] "i"(TOO_MANY),
		       [bpf_loop] "i"(181)
		     : CLOBBERS, "r7");
}

/* Numeric iterators with interrupts off. */

static __always_inline void square_walk(__u32 outer, __u32 inner)
{
	struct bpf_iter_num i, j;

	bpf_iter_num_new(&i, 0, outer);
	while (bpf_iter_num_next(&i)) {
		bpf_iter_num_new(&j, 0, inner);
		while (bpf_iter_num_next(&j))
			sink++;
		bpf_iter_num_destroy(&j);
	}
	bpf_iter_num_destroy(&i);
}

SEC("?tc")
__hole("irq-loops")
__refused(NESTED_LOOPS)
int nested_iterators(struct __sk_buff *ctx)
{
	irqs_off(square_walk(many, many));
	return 0;
}

SEC("?tc")
__hole("irq-loops")
__refused(NESTED_LOOPS)
int nested_iterators_under_lock(struct __sk_buff *ctx)
{
	unsigned long flags;

	if (bpf_res_spin_lock_irqsave(&lock_a, &flags))
		return 0;
	square_walk(many, many);
	bpf_res_spin_unlock_irqrestore(&lock_a, &flags);
	return 0;
}

SEC("?tc")
__returns(12)
int small_nested_iterators(struct __sk_buff *ctx)
{
	__u64 before = sink;

	irqs_off(square_walk(3, 4));
	return (int)(sink - before);
}

SEC("?tc")
__returns(6)
int one_after_the_other(struct __sk_buff *ctx)
{
	__u32 n = many >> 21;
	__u64 before = sink;

	irqs_off(square_walk(1, n); square_walk(1, n >> 1));
	return (int)(sink - before);
}

SEC("?tc")
__returns(4)
int iterator_of_before(struct __sk_buff *ctx)
{
	struct bpf_iter_num it;
	__u64 before = sink;
	unsigned long flags;

	bpf_iter_num_new(&it, 0, many >> 21);
	bpf_local_irq_save(&flags);
	while (bpf_iter_num_next(&it))
		sink++;
	bpf_local_irq_restore(&flags);
	bpf_iter_num_destroy(&it);
	return (int)(sink - before);
}

/* The iterator was created before the region, so its length counts as the longest possible. */
SEC("?tc")
__hole("irq-loops")
__refused(NESTED_LOOPS)
int iterator_of_before_around(struct __sk_buff *ctx)
{
	struct bpf_iter_num it;
	unsigned long flags;

	bpf_iter_num_new(&it, 0, many);
	bpf_local_irq_save(&flags);
	while (bpf_iter_num_next(&it))
		square_walk(1, many);
	bpf_local_irq_restore(&flags);
	bpf_iter_num_destroy(&it);
	return 0;
}

/* The inner loop comes first, so the outer loop does not count yet when the inner one begins. */
SEC("?tc")
__hole("irq-loops")
__refused(NESTED_LOOPS)
int iterator_of_before_behind(struct __sk_buff *ctx)
{
	struct bpf_iter_num it;
	unsigned long flags;

	bpf_iter_num_new(&it, 0, many);
	bpf_local_irq_save(&flags);
	do
		square_walk(1, many);
	while (bpf_iter_num_next(&it));
	bpf_local_irq_restore(&flags);
	bpf_iter_num_destroy(&it);
	return 0;
}

/* Interrupts come in between: the region ends before the iterator advances. */
SEC("?tc")
__returns(8)
int iterator_of_another_region(struct __sk_buff *ctx)
{
	struct bpf_iter_num it;
	__u64 before = sink;
	unsigned long flags;

	bpf_local_irq_save(&flags);
	bpf_iter_num_new(&it, 0, many >> 21);
	bpf_local_irq_restore(&flags);
	while (bpf_iter_num_next(&it))
		irqs_off(square_walk(1, many >> 22));
	bpf_iter_num_destroy(&it);
	return (int)(sink - before);
}

/* Each round of the outer loop is a region of its own. */
SEC("?tc")
__returns(4)
int regions_in_a_loop(struct __sk_buff *ctx)
{
	struct bpf_iter_num it;
	__u64 before = sink;

	bpf_iter_num_new(&it, 0, many >> 22);
	while (bpf_iter_num_next(&it))
		irqs_off(square_walk(1, many >> 22));
	bpf_iter_num_destroy(&it);
	return (int)(sink - before);
}

__noinline int global_square(int a)
{
	square_walk(many, many);
	return a;
}

SEC("?tc")
__hole("irq-loops")
__refused(GLOBAL_LOOPS)
int loops_of_a_global_function(struct __sk_buff *ctx)
{
	int n;

	irqs_off(n = global_square(0));
	return n;
}

/* The same function as before, but one that is verified where it is called. */
static __noinline int static_square(int a)
{
	square_walk(a, a);
	return a;
}

SEC("?tc")
__returns(9)
int loops_of_a_static_function(struct __sk_buff *ctx)
{
	__u64 before = sink;

	irqs_off(static_square(3));
	return (int)(sink - before);
}

/* Other iterators than the numeric one. */

static __always_inline int bits_count(__u32 outer)
{
	struct bpf_iter_bits b;
	struct bpf_iter_num n;
	int set = 0;

	bpf_iter_num_new(&n, 0, outer);
	while (bpf_iter_num_next(&n)) {
		bpf_iter_bits_new(&b, words, 2);
		while (bpf_iter_bits_next(&b))
			set++;
		bpf_iter_bits_destroy(&b);
	}
	bpf_iter_num_destroy(&n);
	return set;
}

SEC("?tc")
__needs("bpf_iter_bits_new")
__hole("irq-loops")
__refused(NESTED_LOOPS)
int nested_bits(struct __sk_buff *ctx)
{
	int set;

	irqs_off(set = bits_count(many));
	return set;
}

SEC("?tc")
__needs("bpf_iter_bits_new")
__returns(4)
int one_loop_of_bits(struct __sk_buff *ctx)
{
	int set;

	irqs_off(set = bits_count(1));
	return set;
}

SEC("?tc")
__needs("bpf_iter_bits_new")
__returns(4)
int bits_of_before(struct __sk_buff *ctx)
{
	struct bpf_iter_bits it;
	__u64 before = sink;
	unsigned long flags;

	bpf_iter_bits_new(&it, words, 2);
	bpf_local_irq_save(&flags);
	while (bpf_iter_bits_next(&it))
		sink++;
	bpf_local_irq_restore(&flags);
	bpf_iter_bits_destroy(&it);
	return (int)(sink - before);
}

__noinline int global_bits(int outer)
{
	return bits_count(outer);
}

SEC("?tc")
__needs("bpf_iter_bits_new")
__hole("irq-loops")
__refused(GLOBAL_LOOPS)
int bits_of_a_global_function(struct __sk_buff *ctx)
{
	int n;

	irqs_off(n = global_bits(1));
	return n;
}

/* Callbacks. */

static long count_often(__u32 index, void *ctx)
{
	bpf_loop(many, count_round, NULL, 0);
	return 0;
}

SEC("?tc")
__hole("irq-loops")
__refused(NESTED_LOOPS)
int nested_callbacks(struct __sk_buff *ctx)
{
	irqs_off(bpf_loop(many, count_often, NULL, 0));
	return 0;
}

__noinline int global_callback(int n)
{
	bpf_loop(n, count_round, NULL, 0);
	return n;
}

SEC("?tc")
__hole("irq-loops")
__refused(GLOBAL_LOOPS)
int callback_of_a_global_function(struct __sk_buff *ctx)
{
	int n;

	irqs_off(n = global_callback(1));
	return n;
}

SEC("?tc")
__returns(5)
int one_callback(struct __sk_buff *ctx)
{
	__u64 before = sink;

	irqs_off(bpf_loop(5, count_round, NULL, 0));
	return (int)(sink - before);
}

#define HASH_OF(name, entries)                        \
	struct {                                      \
		__uint(type, BPF_MAP_TYPE_HASH);      \
		__uint(map_flags, BPF_F_NO_PREALLOC); \
		__uint(max_entries, entries);         \
		__type(key, __u32);                   \
		__type(value, __u64);                 \
	} name SEC(".maps")

HASH_OF(big, 1 << 12);
HASH_OF(half, 1 << 11);

static long count_element(void *map, __u32 *key, __u64 *value, void *ctx)
{
	sink++;
	return 0;
}

static long walk_big(void *map, __u32 *key, __u64 *value, void *ctx)
{
	bpf_for_each_map_elem(&big, count_element, NULL, 0);
	return 0;
}

static long walk_half(void *map, __u32 *key, __u64 *value, void *ctx)
{
	bpf_for_each_map_elem(&half, count_element, NULL, 0);
	return 0;
}

SEC("?tc")
__hole("irq-loops")
__refused(NESTED_LOOPS)
int nested_map_walks(struct __sk_buff *ctx)
{
	irqs_off(bpf_for_each_map_elem(&big, walk_big, NULL, 0));
	return 0;
}

/* 2^12 times 2^11 turns are the limit. */
SEC("?tc")
__accepted
int nested_walks_of_small_maps(struct __sk_buff *ctx)
{
	irqs_off(bpf_for_each_map_elem(&big, walk_half, NULL, 0));
	return 0;
}

/* Callbacks of maps whose size the verifier does not know. */

struct {
	__uint(type, BPF_MAP_TYPE_USER_RINGBUF);
	__uint(max_entries, 4096);
} samples SEC(".maps");

static long count_often_each(struct bpf_dynptr *sample, void *ctx)
{
	bpf_loop(many, count_round, NULL, 0);
	return 0;
}

SEC("?tc")
__hole("irq-loops")
__refused(NESTED_LOOPS)
int nested_samples(struct __sk_buff *ctx)
{
	irqs_off(bpf_user_ringbuf_drain(&samples, count_often_each, NULL, 0));
	return 0;
}

/* The map that is put into the outer one may have more elements than this template. */
struct template
{
	__uint(type, BPF_MAP_TYPE_HASH);
	__uint(max_entries, 1);
	__type(key, __u32);
	__type(value, __u64);
};

struct {
	__uint(type, BPF_MAP_TYPE_ARRAY_OF_MAPS);
	__uint(max_entries, 1);
	__type(key, __u32);
	__array(values, struct template);
} outer_map SEC(".maps");

static long visit_element(void *map, const void *key, void *value, void *ctx)
{
	sink++;
	return 0;
}

static long visit_all(__u32 index, void *ctx)
{
	__u32 key = 0;
	void *map = bpf_map_lookup_elem(&outer_map, &key);

	if (map)
		bpf_for_each_map_elem(map, visit_element, NULL, 0);
	return 0;
}

SEC("?tc")
__hole("irq-loops")
__refused(NESTED_LOOPS)
int nested_inner_map(struct __sk_buff *ctx)
{
	irqs_off(bpf_loop(many, visit_all, NULL, 0));
	return 0;
}

SEC("?tc")
__accepted
int one_inner_map(struct __sk_buff *ctx)
{
	irqs_off(visit_all(0, NULL));
	return 0;
}

char _license[] SEC("license") = "GPL";
