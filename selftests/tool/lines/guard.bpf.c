// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* The library's guards, pairs, ranks and banks. */
#include "lines.bpf.h"

RES_LOCK_BANK(bank, 3);
RES_LOCK_RANK(low, 1);
RES_LOCK_RANK(high, 2);
RES_ORDERED_LOCK(before);
RES_ORDERED_LOCK(after);

SEC("tc")
int guard(struct __sk_buff *ctx)
{
	struct slot *a = slot_of(0), *again = slot_of(0);
	scope_t scope;
	int told = 0;

	if (!a || !again)
		return 1;
	BEGIN(&scope);
	res_guard(&a->lock) {
		res_guard(&again->lock) { /* at: guard */
			again->value++;
		}
		res_guard_failed(err) {
			told = err;
			FAIL(&scope, &again->lock, err);
		}
	}
	res_guard_failed(err) {
		return 1;
	}
	return told;
}

SEC("tc")
int guard_irqsave(struct __sk_buff *ctx)
{
	struct slot *a = slot_of(0), *again = slot_of(0);
	scope_t scope;
	int told = 0;

	if (!a || !again)
		return 1;
	BEGIN(&scope);
	res_guard_irqsave(&a->lock) {
		res_guard_irqsave(&again->lock) { /* at: guard_irqsave */
			again->value++;
		}
		res_guard_failed(err) {
			told = err;
			FAIL(&scope, &again->lock, err);
		}
	}
	res_guard_failed(err) {
		return 1;
	}
	return told;
}

SEC("tc")
int guard_here(struct __sk_buff *ctx)
{
	struct slot *a = slot_of(0), *again = slot_of(0);
	scope_t scope;

	if (!a || !again)
		return 1;
	BEGIN(&scope);
	res_guard_here(&a->lock, err, return 1);
	res_guard_here(&again->lock, err, { /* at: guard_here */
					    FAIL(&scope, &again->lock, err);
					    return err;
	});
	return 0;
}

#define GUARDED(scope, again, told)               \
	res_guard(&(again)->lock) {               \
		(again)->value++;                 \
	}                                         \
	res_guard_failed(err) {                   \
		told = err;                       \
		FAIL(scope, &(again)->lock, err); \
	}

SEC("tc")
int guard_adjacent(struct __sk_buff *ctx)
{
	struct slot *a = slot_of(0), *again = slot_of(0);
	scope_t scope;
	int told = 0;

	if (!a || !again)
		return 1;
	BEGIN(&scope);
	res_guard_here_irqsave(&a->lock, err, return 1);
	GUARDED(&scope, again, told); /* at: guard_adjacent */
	GUARDED(&scope, again, told); /* at: guard_adjacent */
	return told;
}

static __noinline int guarded_again(scope_t *scope, struct slot *again)
{
	res_guard(&again->lock) { /* at: guard_static */
		again->value++;
	}
	res_guard_failed(err) {
		FAIL(scope, &again->lock, err);
		return err;
	}
	return 0;
}

SEC("tc")
int guard_static(struct __sk_buff *ctx)
{
	struct slot *a = slot_of(0), *again = slot_of(0);
	scope_t scope;
	int told;

	if (!a || !again)
		return 1;
	BEGIN(&scope);
	res_guard_here(&a->lock, err, return 1);
	told = guarded_again(&scope, again);
	return told;
}

__noinline int guarded_twice(__u32 i)
{
	struct slot *a = slot_of(i), *again = slot_of(i);

	if (!a || !again)
		return 1;
	res_guard_here(&a->lock, err, return 1);
	res_guard_here(&again->lock, err, return err); /* at: guard_global */
	return 0;
}

SEC("tc")
int guard_global(struct __sk_buff *ctx)
{
	struct slot *a = slot_of(0);
	scope_t scope;
	int err;

	if (!a)
		return 1;
	BEGIN(&scope);
	err = guarded_twice(0);
	if (err < 0)
		FAIL(&scope, &a->lock, err);
	return err;
}

SEC("tc")
int guard_loop(struct __sk_buff *ctx)
{
	struct slot *a = slot_of(0), *again = slot_of(0);
	scope_t scope;
	int told = 0;

	if (!a || !again)
		return 1;
	BEGIN(&scope);
	res_guard_here(&a->lock, err, return 1);
	for (int i = 0; i < 2; i++) {
		res_guard_here(&again->lock, err, { /* at: guard_loop; at: guard_loop */
						    FAIL(&scope, &again->lock, err);
						    told = err;
						    continue;
		});
	}
	return told;
}

SEC("tc")
int guard_pair(struct __sk_buff *ctx)
{
	struct slot *a = slot_of(0), *again = slot_of(0), *other = slot_of(1);
	scope_t scope;
	int told = 0;

	if (!a || !again || !other)
		return 1;
	BEGIN(&scope);
	res_guard_here(&a->lock, err, return 1);
	res_guard_pair(&other->lock, &again->lock) { /* at: guard_pair */
		again->value++;
	}
	res_guard_failed(err) {
		told = err;
		FAIL_PAIR(&scope, res_guard_pair_failed(), err);
	}
	return told;
}

SEC("tc")
int pair(struct __sk_buff *ctx)
{
	struct slot *a = slot_of(1), *again = slot_of(1), *other = slot_of(0);
	struct res_pair both;
	scope_t scope;
	int told;

	if (!a || !again || !other)
		return 1;
	BEGIN(&scope);
	res_guard_here(&a->lock, err, return 1);
	told = res_pair_lock(&both, &again->lock, &other->lock); /* at: pair */
	if (told) {
		FAIL_PAIR(&scope, &both, told);
		return told;
	}
	res_pair_unlock(&both);
	return 0;
}

SEC("tc")
int ranked(struct __sk_buff *ctx)
{
	struct slot *a = slot_of(0), *again = slot_of(0);
	scope_t scope;
	int told = 0;

	if (!a || !again)
		return 1;
	BEGIN(&scope);
	res_guard_ranked(low, &a->lock) {
		res_guard_ranked(high, &again->lock) { /* at: ranked */
			again->value++;
		}
		res_guard_failed(err) {
			told = err;
			FAIL(&scope, &again->lock, err);
		}
	}
	res_guard_failed(err) {
		return 1;
	}
	return told;
}

SEC("tc")
int array(struct __sk_buff *ctx)
{
	struct slot *a = res_lock_map_elem(&slots, 1), *again = res_lock_map_elem(&slots, 1);
	scope_t scope;

	if (!a || !again)
		return 1;
	BEGIN(&scope);
	res_guard_here(&a->lock, err, return 1);
	res_guard_here(&again->lock, err, { /* at: array */
					    FAIL(&scope, &again->lock, err);
					    return err;
	});
	return 0;
}

SEC("tc")
int ab(struct __sk_buff *ctx)
{
	scope_t scope;
	int told = 0;

	if (!meet_two(&ready))
		return 1;
	BEGIN(&scope);
	res_guard(&lock_a) {
		if (!meet_two(&holding))
			return 1;
		res_guard(&lock_b) { /* at: ab */
			told = 0;
		}
		res_guard_failed(err) {
			told = err;
			FAIL(&scope, &lock_b, err);
		}
	}
	res_guard_failed(err) {
		return 1;
	}
	return told;
}

SEC("tc")
int ba(struct __sk_buff *ctx)
{
	scope_t scope;
	int told = 0;

	if (!meet_two(&ready))
		return 1;
	BEGIN(&scope);
	res_guard(&lock_b) {
		if (!meet_two(&holding))
			return 1;
		res_guard(&lock_a) { /* at: ba */
			told = 0;
		}
		res_guard_failed(err) {
			told = err;
			FAIL(&scope, &lock_a, err);
		}
	}
	res_guard_failed(err) {
		return 1;
	}
	return told;
}

/* Locks of a bank: held by one side, wanted by the other. */
SEC("tc")
int bank_ab(struct __sk_buff *ctx)
{
	__u32 left = 1, right = 2;
	struct bpf_res_spin_lock *a = res_lock_bank(bank, 3, left);
	struct bpf_res_spin_lock *b = res_lock_bank(bank, 3, right);
	scope_t scope;

	if (!a || !b || left == right || !meet_two(&ready))
		return 1;
	BEGIN(&scope);
	res_guard_here(a, err, return 1);
	if (!meet_two(&holding))
		return 1;
	res_guard_here(b, err, { /* at: bank_ab */
				 FAIL(&scope, b, err);
				 return err;
	});
	return 0;
}

SEC("tc")
int bank_ba(struct __sk_buff *ctx)
{
	__u32 left = 1, right = 2;
	struct bpf_res_spin_lock *a = res_lock_bank(bank, 3, left);
	struct bpf_res_spin_lock *b = res_lock_bank(bank, 3, right);
	scope_t scope;

	if (!a || !b || left == right || !meet_two(&ready))
		return 1;
	BEGIN(&scope);
	res_guard_here(b, err, return 1);
	if (!meet_two(&holding))
		return 1;
	res_guard_here(a, err, { /* at: bank_ba */
				 FAIL(&scope, a, err);
				 return err;
	});
	return 0;
}

/* One side takes the pair in order; the other side holds the second lock and wants the first. */
SEC("tc")
int ordered_pair(struct __sk_buff *ctx)
{
	struct res_pair both;
	scope_t scope;
	int told;

	if (!meet_two(&ready))
		return 1;
	BEGIN(&scope);
	res_guard_here(&lock_a, err, return 1);
	if (!meet_two(&holding))
		return 1;
	told = res_pair_lock_ordered(&both, after, before); /* at: ordered_pair */
	if (told) {
		FAIL_PAIR(&scope, &both, told);
		return told;
	}
	res_pair_unlock(&both);
	return 0;
}

SEC("tc")
int ordered_other(struct __sk_buff *ctx)
{
	scope_t scope;

	if (!meet_two(&ready))
		return 1;
	BEGIN(&scope);
	res_guard_here(&after, err, return 1);
	if (!meet_two(&holding))
		return 1;
	res_guard_here(&lock_a, err, { /* at: ordered_other */
				       FAIL(&scope, &lock_a, err);
				       return err;
	});
	return 0;
}
