// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Paths that meet in states that only look alike: a verifier that treats the second state as the
 * first misses the error behind the meeting. Each wrong program has a right one beside it.
 */
#include "locks.h"

extern void bpf_throw(u64 cookie) __weak __ksym;

#define LEAK "(bpf_res_spin_unlock is missing|cannot be used inside bpf_(res_)?spin_lock-ed region)"

/* Paths meet here: the compiler must not duplicate the code that follows. */
#define meet asm volatile("" : : : "memory")

struct {
	__uint(type, BPF_MAP_TYPE_HASH);
	__uint(max_entries, 4);
	__type(key, __u32);
	__type(value, struct locked_value);
} table SEC(".maps");

SEC("?tc")
__refused("bpf_res_spin_unlock of different lock")
int one_of_two_globals(struct __sk_buff *ctx)
{
	int err = ctx->len & 1 ? bpf_res_spin_lock(&lock_a) : bpf_res_spin_lock(&lock_b);

	meet;
	if (!err)
		bpf_res_spin_unlock(&lock_a);
	return 0;
}

SEC("?tc")
__refused("bpf_res_spin_unlock of different lock")
int one_of_two_values(struct __sk_buff *ctx)
{
	struct locked_value *a = element_of(0), *b = element_of(1);
	int err;

	if (!a || !b)
		return 0;
	err = ctx->len & 1 ? bpf_res_spin_lock(&a->lock) : bpf_res_spin_lock(&b->lock);
	meet;
	if (!err)
		bpf_res_spin_unlock(&a->lock);
	return 0;
}

SEC("?tc")
__returns(0)
int chosen_value(struct __sk_buff *ctx)
{
	struct locked_value *v = element_of(opaque(ctx->len & 1));
	int err;

	if (!v)
		return -1;
	meet;
	err = bpf_res_spin_lock(&v->lock);
	if (!err)
		bpf_res_spin_unlock(&v->lock);
	return err;
}

SEC("?tc")
__refused("bpf_res_spin_unlock cannot be out of order")
int two_orders_one_release(struct __sk_buff *ctx)
{
	struct locked_value *a = element_of(0), *b = element_of(1);
	bool swap = ctx->len & 1;

	if (!a || !b)
		return 0;
	if (swap ? bpf_res_spin_lock(&b->lock) : bpf_res_spin_lock(&a->lock))
		return 0;
	if (swap ? bpf_res_spin_lock(&a->lock) : bpf_res_spin_lock(&b->lock)) {
		if (swap)
			bpf_res_spin_unlock(&b->lock);
		else
			bpf_res_spin_unlock(&a->lock);
		return 0;
	}
	meet;
	bpf_res_spin_unlock(&b->lock);
	bpf_res_spin_unlock(&a->lock);
	return 0;
}

SEC("?tc")
__returns(0)
int two_orders_by_pointers(struct __sk_buff *ctx)
{
	struct locked_value *a = element_of(0), *b = element_of(1), *first, *second;
	int err;

	if (!a || !b)
		return -1;
	first = ctx->len & 1 ? b : a;
	second = ctx->len & 1 ? a : b;
	meet;
	err = bpf_res_spin_lock(&first->lock);
	if (err)
		return err;
	err = bpf_res_spin_lock(&second->lock);
	if (!err)
		bpf_res_spin_unlock(&second->lock);
	bpf_res_spin_unlock(&first->lock);
	return err;
}

/* The verifier may follow the path without the lock first or last: that depends on the compiler. */
SEC("?tc")
__refused_re(LEAK)
int locked_on_the_rare_path(struct __sk_buff *ctx)
{
	if (ctx->len == 4711 && bpf_res_spin_lock(&lock_a))
		return 0;
	meet;
	return 0;
}

SEC("?tc")
__refused("bpf_res_spin_unlock without taking a lock")
int unlocked_on_the_rare_path(struct __sk_buff *ctx)
{
	if (ctx->len != 4711 && bpf_res_spin_lock(&lock_a))
		return 0;
	meet;
	bpf_res_spin_unlock(&lock_a);
	return 0;
}

SEC("?tc")
__returns(0)
int remembered_in_a_constant(struct __sk_buff *ctx)
{
	int locked = 0, err = 0;

	if (ctx->len & 1) {
		err = bpf_res_spin_lock(&lock_a);
		locked = !err;
	}
	meet;
	if (locked)
		bpf_res_spin_unlock(&lock_a);
	return err;
}

/* Two reads of a field may differ: it may have changed in between. */
SEC("?tc")
__refused_re(LEAK)
int asked_twice(struct __sk_buff *ctx)
{
	if (ctx->mark && bpf_res_spin_lock(&lock_a))
		return 0;
	meet;
	if (ctx->mark)
		bpf_res_spin_unlock(&lock_a);
	return 0;
}

SEC("?tc")
__refused("bpf_res_spin_unlock of different lock")
int plain_or_irqsave(struct __sk_buff *ctx)
{
	unsigned long flags;
	int err = ctx->len & 1 ? bpf_res_spin_lock(&lock_a) :
				 bpf_res_spin_lock_irqsave(&lock_a, &flags);

	meet;
	if (!err)
		bpf_res_spin_unlock(&lock_a);
	return 0;
}

SEC("?tc")
__refused("cannot restore irq state out of order")
int two_orders_of_flags(struct __sk_buff *ctx)
{
	unsigned long one, two;

	if (ctx->len & 1) {
		bpf_local_irq_save(&one);
		bpf_local_irq_save(&two);
	} else {
		bpf_local_irq_save(&two);
		bpf_local_irq_save(&one);
	}
	meet;
	bpf_local_irq_restore(&two);
	bpf_local_irq_restore(&one);
	return 0;
}

SEC("?tc")
__returns(0)
int one_order_of_flags(struct __sk_buff *ctx)
{
	unsigned long one, two;

	if (ctx->len & 1)
		bpf_local_irq_save(&one);
	else
		bpf_local_irq_save(&one);
	meet;
	bpf_local_irq_save(&two);
	bpf_local_irq_restore(&two);
	bpf_local_irq_restore(&one);
	return 0;
}

/* The second turn begins with the lock held, the first did not. */
SEC("?tc")
__refused_re(LEAK)
int locked_by_each_turn(struct __sk_buff *ctx)
{
	int i;

	bpf_for(i, 0, 10) {
		if (bpf_res_spin_lock(&lock_a))
			break;
	}
	return 0;
}

SEC("?tc")
__refused("bpf_res_spin_unlock of different lock")
int turns_change_the_lock(struct __sk_buff *ctx)
{
	struct locked_value *v = element_of(0), *first = v;
	int i;

	if (!v || bpf_res_spin_lock(&v->lock))
		return 0;
	bpf_for(i, 0, 3) {
		struct locked_value *other = first;

		bpf_res_spin_unlock(&v->lock);
		other = bpf_map_lookup_elem(&table, &i);
		if (!other || bpf_res_spin_lock(&other->lock))
			return 0;
		v = other;
	}
	bpf_res_spin_unlock(&first->lock);
	return 0;
}

SEC("?tc")
__returns(0)
int each_turn_its_own_lock(struct __sk_buff *ctx)
{
	int i, err = 0;

	bpf_for(i, 0, 4) {
		struct locked_value *v = element_of(i);

		if (!v)
			break;
		err = bpf_res_spin_lock(&v->lock);
		if (err)
			break;
		v->count++;
		bpf_res_spin_unlock(&v->lock);
	}
	return err;
}

static long lock_own(struct bpf_map *map, __u32 *key, struct locked_value *v, void *ctx)
{
	if (!bpf_res_spin_lock(&v->lock)) {
		v->count++;
		bpf_res_spin_unlock(&v->lock);
	}
	return 0;
}

SEC("?tc")
__returns(0)
int callback_locks_its_element(struct __sk_buff *ctx)
{
	bpf_for_each_map_elem(&values, lock_own, NULL, 0);
	return 0;
}

static long leave_locked(struct bpf_map *map, __u32 *key, struct locked_value *v, void *ctx)
{
	return bpf_res_spin_lock(&v->lock);
}

SEC("?tc")
__refused_re("(" LEAK "|" NO_CALLS ")")
int callback_leaves_it_locked(struct __sk_buff *ctx)
{
	bpf_for_each_map_elem(&values, leave_locked, NULL, 0);
	return 0;
}

struct outer {
	struct locked_value *v;
};

static long compare_inner(struct bpf_map *map, __u32 *key, struct locked_value *v,
			  struct outer *outer)
{
	if (bpf_res_spin_lock(&v->lock))
		return 1;
	bpf_res_spin_unlock(&outer->v->lock);
	return 1;
}

static long compare_outer(struct bpf_map *map, __u32 *key, struct locked_value *v, void *ctx)
{
	struct outer outer = { .v = v };

	bpf_for_each_map_elem(&values, compare_inner, &outer, 0);
	return 1;
}

/* Two elements, both from callbacks. Kernels that do not distinguish them accept this. */
SEC("?tc")
__needs_tracepoint("rqspinlock_failure") __refused("bpf_res_spin_unlock of different lock")
int callbacks_with_two_elements(struct __sk_buff *ctx)
{
	bpf_for_each_map_elem(&values, compare_outer, NULL, 0);
	return 0;
}

__noinline int global_that_throws(struct __sk_buff *ctx)
{
	if (ctx->len > 100)
		bpf_throw(0);
	return 0;
}

SEC("?tc")
__needs("bpf_throw")
__refused("global " NO_CALLS)
int global_function_throws(struct __sk_buff *ctx)
{
	if (bpf_res_spin_lock(&lock_a))
		return 0;
	global_that_throws(ctx);
	bpf_res_spin_unlock(&lock_a);
	return 0;
}

/* A global function is verified by itself: its callers must be checked for its throw. */
SEC("?tc")
__needs("bpf_throw")
__needs_tracepoint("rqspinlock_failure") __refused("that may throw")
int global_function_throws_irqs_off(struct __sk_buff *ctx)
{
	unsigned long flags;

	bpf_local_irq_save(&flags);
	global_that_throws(ctx);
	bpf_local_irq_restore(&flags);
	return 0;
}

SEC("?tc")
__needs("bpf_throw")
__accepted
int throws_after_the_lock(struct __sk_buff *ctx)
{
	if (bpf_res_spin_lock(&lock_a))
		return 0;
	bpf_res_spin_unlock(&lock_a);
	global_that_throws(ctx);
	return 0;
}

/* r10 is the end of the stack: a flag stored at that address is outside of the stack. */
SEC("?tc")
__refused_re("(invalid write to stack R1 off=0|cannot pass in irq_flag at an offset=0)")
int flags_above_the_stack(struct __sk_buff *ctx)
{
	asm volatile("r1 = r10;"
		     "call %[save];"
		     "r1 = r10;"
		     "call %[restore];"
		     :
		     : [save] "i"(bpf_local_irq_save), [restore] "i"(bpf_local_irq_restore)
		     : "r0", "r1", "r2", "r3", "r4", "r5", "memory");
	return 0;
}

static __noinline int lock_any(struct locked_value *v)
{
	return bpf_res_spin_lock(&v->lock);
}

static __noinline void unlock_any(struct locked_value *v)
{
	bpf_res_spin_unlock(&v->lock);
}

SEC("?tc")
__refused("bpf_res_spin_unlock of different lock")
int subprogram_releases_the_other(struct __sk_buff *ctx)
{
	struct locked_value *a = element_of(0), *b = element_of(1);

	if (!a || !b || lock_any(a))
		return 0;
	unlock_any(b);
	return 0;
}

SEC("?tc")
__returns(0)
int subprograms_with_two_values(struct __sk_buff *ctx)
{
	struct locked_value *a = element_of(0), *b = element_of(1);
	int err;

	if (!a || !b)
		return -1;
	err = lock_any(a);
	if (err)
		return err;
	err = lock_any(b);
	if (!err)
		unlock_any(b);
	unlock_any(a);
	return err;
}

SEC("?tc")
__returns(0)
int hash_element(struct __sk_buff *ctx)
{
	struct locked_value init = { .count = 1 }, *v;
	__u32 key = 3;
	int err;

	bpf_map_update_elem(&table, &key, &init, BPF_NOEXIST);
	v = bpf_map_lookup_elem(&table, &key);
	if (!v)
		return -1;
	err = bpf_res_spin_lock(&v->lock);
	if (err)
		return err;
	v->count++;
	bpf_res_spin_unlock(&v->lock);
	return 0;
}

char _license[] SEC("license") = "Dual BSD/GPL";
