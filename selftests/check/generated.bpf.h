/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* What the programs of generate.py share. */
#ifndef GENERATED_BPF_H
#define GENERATED_BPF_H

#include "check.bpf.h"

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
