/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Lock calls written as LOCK() and so on: the kernel's functions, the library's, the fallback's. */
#include "lines.bpf.h"

#define TRY(scope, lock_ptr)                      \
	({                                        \
		int e = LOCK(lock_ptr);           \
		if (!e)                           \
			UNLOCK(lock_ptr);         \
		else                              \
			FAIL(scope, lock_ptr, e); \
		e;                                \
	})

SEC("tc")
int adjacent(struct __sk_buff *ctx)
{
	struct slot *a = slot_of(0), *again = slot_of(0);
	scope_t scope;
	int err;

	if (!a || !again)
		return 1;
	BEGIN(&scope);
	if (LOCK(&a->lock))
		return 1;
	err = TRY(&scope, &again->lock); /* at: adjacent */
	err = TRY(&scope, &again->lock); /* at: adjacent */
	UNLOCK(&a->lock);
	return err;
}

/* The report has another line than the calls, and two calls share one report. */
SEC("tc")
int common_label(struct __sk_buff *ctx)
{
	struct slot *a = slot_of(0), *again = slot_of(0), *other = slot_of(1);
	scope_t scope;
	lock_t *wanted;
	int err;

	if (!a || !again || !other)
		return 1;
	BEGIN(&scope);
	wanted = &a->lock;
	err = LOCK(wanted);
	if (err)
		goto failed;
	wanted = &other->lock;
	err = LOCK(wanted);
	if (err)
		goto unlock;
	wanted = &again->lock;
	err = LOCK(wanted); /* at: common_label */
	if (!err)
		UNLOCK(&again->lock);
	UNLOCK(&other->lock);
unlock:
	UNLOCK(&a->lock);
failed:
	if (err)
		FAIL(&scope, wanted, err);
	return err;
}

#ifndef LINES_RAW
/* Calls of one function that end both branches: compilers merge them, except the library's. */
SEC("tc")
int branches(struct __sk_buff *ctx)
{
	struct slot *a = slot_of(0), *again = slot_of(0), *other = slot_of(1);
	lock_t *wanted;
	scope_t scope;
	int err;

	if (!a || !again || !other)
		return 1;
	BEGIN(&scope);
	if (LOCK(&a->lock))
		return 1;
	if (ctx->len > 1000) {
		a->value++;
		wanted = &other->lock;
		err = LOCK(wanted);
	} else {
		wanted = &again->lock;
		err = LOCK(wanted); /* at: branches */
	}
	if (err)
		FAIL(&scope, wanted, err);
	else
		UNLOCK(wanted);
	UNLOCK(&a->lock);
	return err;
}
#endif

SEC("tc")
int in_loop(struct __sk_buff *ctx)
{
	struct slot *a = slot_of(0), *again = slot_of(0);
	scope_t scope;
	int err = 0;

	if (!a || !again)
		return 1;
	BEGIN(&scope);
	if (LOCK(&a->lock))
		return 1;
	for (int i = 0; i < 2; i++)
		err = TRY(&scope, &again->lock); /* at: in_loop; at: in_loop */
	UNLOCK(&a->lock);
	return err;
}

SEC("tc")
int irqsave(struct __sk_buff *ctx)
{
	struct slot *a = slot_of(0), *again = slot_of(0);
	unsigned long flags, inner;
	scope_t scope;
	int err;

	if (!a || !again)
		return 1;
	BEGIN(&scope);
	if (LOCK_IRQSAVE(&a->lock, &flags))
		return 1;
	err = LOCK_IRQSAVE(&again->lock, &inner); /* at: irqsave */
	if (err)
		FAIL(&scope, &again->lock, err);
	else
		UNLOCK_IRQRESTORE(&again->lock, &inner);
	UNLOCK_IRQRESTORE(&a->lock, &flags);
	return err;
}

static __noinline int take_again(scope_t *scope, struct slot *again)
{
	return TRY(scope, &again->lock); /* at: in_static */
}

SEC("tc")
int in_static(struct __sk_buff *ctx)
{
	struct slot *a = slot_of(0), *again = slot_of(0);
	scope_t scope;
	int err;

	if (!a || !again)
		return 1;
	BEGIN(&scope);
	if (LOCK(&a->lock))
		return 1;
	err = take_again(&scope, again);
	UNLOCK(&a->lock);
	return err;
}

__noinline int take_both(__u32 i)
{
	struct slot *a = slot_of(i), *again = slot_of(i);
	int err;

	if (!a || !again || LOCK(&a->lock))
		return 1;
	err = LOCK(&again->lock); /* at: in_global */
	if (!err)
		UNLOCK(&again->lock);
	UNLOCK(&a->lock);
	return err;
}

/* Reported by the caller: no scope can be passed to a global function. */
SEC("tc")
int in_global(struct __sk_buff *ctx)
{
	struct slot *a = slot_of(0);
	scope_t scope;
	int err;

	if (!a)
		return 1;
	BEGIN(&scope);
	err = take_both(0);
	if (err < 0)
		FAIL(&scope, &a->lock, err);
	return err;
}

SEC("tc")
int ab(struct __sk_buff *ctx)
{
	scope_t scope;
	int err;

	if (!meet_two(&ready))
		return 1;
	BEGIN(&scope);
	if (LOCK(&lock_a))
		return 1;
	if (!meet_two(&holding)) {
		UNLOCK(&lock_a);
		return 1;
	}
	err = TRY(&scope, &lock_b); /* at: ab */
	UNLOCK(&lock_a);
	return err;
}

SEC("tc")
int ba(struct __sk_buff *ctx)
{
	scope_t scope;
	int err;

	if (!meet_two(&ready))
		return 1;
	BEGIN(&scope);
	if (LOCK(&lock_b))
		return 1;
	if (!meet_two(&holding)) {
		UNLOCK(&lock_b);
		return 1;
	}
	err = TRY(&scope, &lock_a); /* at: ba */
	UNLOCK(&lock_b);
	return err;
}
