/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* What the programs of generate.py share. */
#ifndef GENERATED_BPF_H
#define GENERATED_BPF_H

#include <stdbool.h>
#include "check.bpf.h"

#include <bpf/bpf_core_read.h>
#include "../../kernel/progs/may_loop.h"

#define UNUSED __attribute__((unused))

extern void bpf_local_irq_save(unsigned long *) __weak __ksym;
extern void bpf_local_irq_restore(unsigned long *) __weak __ksym;

#define MAP_OF(kind, name)                         \
	struct {                                   \
		__uint(type, BPF_MAP_TYPE_##kind); \
		__uint(max_entries, 8);            \
		__type(key, __u32);                \
		__type(value, struct elem);        \
	} name SEC(".maps")

#define WIDE(name)                               \
	struct {                                 \
		__uint(type, BPF_MAP_TYPE_HASH); \
		__uint(max_entries, 8);          \
		__type(key, __u64);              \
		__type(value, struct elem);      \
	} name SEC(".maps")

struct timed {
	struct bpf_timer timer;
	struct bpf_res_spin_lock lock;
};

#define TIMED(name)                               \
	struct {                                  \
		__uint(type, BPF_MAP_TYPE_ARRAY); \
		__uint(max_entries, 1);           \
		__type(key, __u32);               \
		__type(value, struct timed);      \
	} name SEC(".maps")

struct keys {
	__u32 pad, key;
};

/* Of the programs that tasks run. */
struct pair {
	__u64 a, b;
};

struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(max_entries, 1);
	__type(key, __u32);
	__type(value, __u32);
} settings SEC(".maps");

static const __u32 zero_key = 0;

/* Elements in a map that is in a map. */
#define INNER(name)                                       \
	struct name##_inner {                             \
		__uint(type, BPF_MAP_TYPE_ARRAY);         \
		__uint(max_entries, 8);                   \
		__type(key, __u32);                       \
		__type(value, struct elem);               \
	} name##_first SEC(".maps");                      \
	struct {                                          \
		__uint(type, BPF_MAP_TYPE_ARRAY_OF_MAPS); \
		__uint(max_entries, 1);                   \
		__type(key, __u32);                       \
		__array(values, struct name##_inner);     \
	} name SEC(".maps") = { .values = { &name##_first } }

/* One map for all objects that name it. */
#define PINNED(name)                                 \
	struct {                                     \
		__uint(type, BPF_MAP_TYPE_ARRAY);    \
		__uint(max_entries, 8);              \
		__uint(pinning, LIBBPF_PIN_BY_NAME); \
		__type(key, __u32);                  \
		__type(value, struct elem);          \
	} name SEC(".maps")

#ifndef __kptr
#define __kptr __attribute__((btf_type_tag("kptr")))
#endif

#ifndef BPF_F_NETFILTER_IP_DEFRAG /* of headers that are old enough to lack the type, too */
struct bpf_refcount {
	__u32 : 32;
} __attribute__((aligned(4)));
#endif

struct object {
	struct bpf_res_spin_lock lock;
	struct bpf_refcount refs;
};

struct slot {
	struct object __kptr *kept;
};

#define SLOTS(name)                               \
	struct {                                  \
		__uint(type, BPF_MAP_TYPE_ARRAY); \
		__uint(max_entries, 2);           \
		__type(key, __u32);               \
		__type(value, struct slot);       \
	} name SEC(".maps")

extern void *bpf_obj_new_impl(__u64 type, void *meta) __weak __ksym;
extern void bpf_obj_drop_impl(void *object, void *meta) __weak __ksym;
extern void *bpf_refcount_acquire_impl(void *object, void *meta) __weak __ksym;

/* What was kept there, or a new one, which is kept from now on. */
#define object_get(slots, nr)                                                               \
	({                                                                                  \
		struct slot *s_ = elem_of(&slots, nr);                                      \
		struct object *o_ = s_ ? bpf_kptr_xchg(&s_->kept, NULL) : NULL, *other_;    \
                                                                                            \
		if (!o_)                                                                    \
			o_ = bpf_obj_new_impl(bpf_core_type_id_local(struct object), NULL); \
		if (o_ && s_) {                                                             \
			other_ = bpf_refcount_acquire_impl(o_, NULL);                       \
			other_ = other_ ? bpf_kptr_xchg(&s_->kept, other_) : NULL;          \
			if (other_)                                                         \
				bpf_obj_drop_impl(other_, NULL);                            \
		}                                                                           \
		o_;                                                                         \
	})

/* As long as the kernel lets it, and not longer than a lock may be waited for. */
/* The verifier need not count them. */
volatile __u64 ready_rounds = 1000000, holding_rounds = 20000;

static __always_inline UNUSED bool sides_meet(__u64 *arrived, __u64 rounds)
{
	__u64 target = (__sync_fetch_and_add(arrived, 1) / 2 + 1) * 2;

	for (__u64 i = 0; may_loop && i < rounds; i++)
		if (*(volatile __u64 *)arrived >= target)
			return true;
	/* The next one must find it as this one did. */
	return __sync_val_compare_and_swap(arrived, target - 1, target - 2) != target - 1;
}

/* Two programs begin at once, and want their second lock when both have had time for the first. */
#define MEETING(name, x, y)                           \
	if (!sides_meet(&name##_ready, ready_rounds)) \
		return 1;                             \
	int err = bpf_res_spin_lock(&x);              \
	if (err)                                      \
		return err;                           \
	sides_meet(&name##_holding, holding_rounds);  \
	err = take_one(&y);                           \
	bpf_res_spin_unlock(&x);                      \
	return err;

#define noise(ctx) bpf_get_prandom_u32()

static __noinline UNUSED int fill(__u32 *to, __u32 key)
{
	if (to)
		*to = key;
	return 0;
}

static UNUSED long set_key(__u32 i, struct keys *keys)
{
	keys->key = keys->pad;
	return 0;
}

static UNUSED long set_key_each(void *map, __u32 *key, __u32 *value, struct keys *keys)
{
	keys->key = keys->pad;
	return 0;
}

static __always_inline UNUSED int take_one(struct bpf_res_spin_lock *lock)
{
	int err = bpf_res_spin_lock(lock);

	if (!err)
		bpf_res_spin_unlock(lock);
	return err;
}

static __always_inline UNUSED int take_one_irqsave(struct bpf_res_spin_lock *lock)
{
	unsigned long flags;
	int err = bpf_res_spin_lock_irqsave(lock, &flags);

	if (!err)
		bpf_res_spin_unlock_irqrestore(lock, &flags);
	return err;
}

static __always_inline UNUSED int take_two(struct bpf_res_spin_lock *x, struct bpf_res_spin_lock *y)
{
	int err = bpf_res_spin_lock(x);

	if (err)
		return err;
	err = take_one(y);
	bpf_res_spin_unlock(x);
	return err;
}

static __always_inline UNUSED int take_irqsave(struct bpf_res_spin_lock *x,
					       struct bpf_res_spin_lock *y)
{
	unsigned long flags;
	int err = bpf_res_spin_lock_irqsave(x, &flags);

	if (err)
		return err;
	err = take_one_irqsave(y);
	bpf_res_spin_unlock_irqrestore(x, &flags);
	return err;
}

static __always_inline UNUSED int take_irqs_off(struct bpf_res_spin_lock *x,
						struct bpf_res_spin_lock *y)
{
	unsigned long flags;
	int err;

	if (!bpf_ksym_exists(bpf_local_irq_save))
		return take_two(x, y);
	bpf_local_irq_save(&flags);
	err = take_two(x, y);
	bpf_local_irq_restore(&flags);
	return err;
}

static __noinline UNUSED int take_locks(struct bpf_res_spin_lock *x, struct bpf_res_spin_lock *y)
{
	return take_two(x, y);
}

static __noinline UNUSED int take_in_function(struct elem *x, struct elem *y)
{
	return take_two(&x->lock, &y->lock);
}

static __noinline UNUSED int take_inner(struct elem *y)
{
	return take_one(&y->lock);
}

static __always_inline UNUSED int take_outer(struct elem *x, struct elem *y)
{
	int err = bpf_res_spin_lock(&x->lock);

	if (err)
		return err;
	err = take_inner(y);
	bpf_res_spin_unlock(&x->lock);
	return err;
}

#endif
