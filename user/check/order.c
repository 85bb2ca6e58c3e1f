// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include <linux/bpf.h>

#include "check/facts.h"
#include "check/order.h"

#define DOWN(order) ((order) << 3)

const char *order_name(unsigned int order)
{
	static const char *const names[] = { "address",	     "key",	 "signed key",
					     "address down", "key down", "signed key down" };

	return order ? names[__builtin_ctz(order)] : NULL;
}

/* Compare both ways. Returns the orders that hold; differ: the two certainly differ. */
static unsigned int order_compare(const struct state *st, sym_t a, sym_t b, __u8 less,
				  unsigned int order, bool *differ)
{
	unsigned int orders = 0;

	if (!a || !b)
		return 0;
	if (facts_rise(st, less, a, b, differ))
		orders |= order;
	if (facts_rise(st, less, b, a, differ))
		orders |= DOWN(order);
	return orders;
}

static unsigned int compare_addresses(const struct stepper *s, const struct state *st,
				      const struct lockid *a, const struct lockid *b, __s32 off_a,
				      __s32 off_b, bool *differ)
{
	struct val x = { .kind = a->kind, .where = a->where, .off = off_a, .sym = a->sym };
	struct val y = { .kind = b->kind, .where = b->where, .off = off_b, .sym = b->sym };

	return order_compare(st, step_sym(s, &x), step_sym(s, &y), BPF_JLT, ORDER_ADDRESS, differ);
}

unsigned int order_of_numbers(__u32 size, __u64 x, __u64 y)
{
	__s64 sx = size == 4 ? (__s32)x : (__s64)x;
	__s64 sy = size == 4 ? (__s32)y : (__s64)y;

	return (x < y ? ORDER_KEY :
		x > y ? ORDER_KEY_DOWN :
			0) |
	       (sx < sy ? ORDER_SIGNED :
		sx > sy ? ORDER_SIGNED_DOWN :
			  0);
}

/* Only whole keys are compared: two different keys may have one half in common. */
static unsigned int compare_keys(const struct stepper *s, const struct state *st,
				 const struct lockid *a, const struct lockid *b, bool *differ)
{
	const struct check_map *m = &s->set->maps[a->where];
	sym_t ka = m->key_size <= 4 ? sym_low32(s->syms, a->sym) : a->sym;
	sym_t kb = m->key_size <= 4 ? sym_low32(s->syms, b->sym) : b->sym;
	unsigned int order;
	__u64 x, y;

	if (sym_is_number(s->syms, ka, &x) && sym_is_number(s->syms, kb, &y)) {
		*differ |= x != y;
		return order_of_numbers(m->key_size, x, y);
	}
	order = order_compare(st, ka, kb, BPF_JLT, ORDER_KEY, differ) |
		order_compare(st, ka, kb, BPF_JSLT, ORDER_SIGNED, differ);
	if (sym_is_next(s->syms, b->sym, a->sym))
		order |= ORDER_KEY;
	if (sym_is_next(s->syms, a->sym, b->sym))
		order |= ORDER_KEY_DOWN;
	*differ |= sym_is_next(s->syms, b->sym, a->sym) || sym_is_next(s->syms, a->sym, b->sym);
	return order;
}

/* The elements of an array lie in the order of their keys. */
static unsigned int both_of_array(unsigned int order)
{
	unsigned int up = ORDER_ADDRESS | ORDER_KEY, down = DOWN(up);

	return order | (order & up ? up : 0) | (order & down ? down : 0);
}

unsigned int order_of(const struct stepper *s, const struct state *st, const struct lockid *a,
		      const struct lockid *b, bool *differ)
{
	unsigned int order;

	/* A program may compare the addresses of elements, or of the locks in them. */
	*differ = false;
	order = compare_addresses(s, st, a, b, a->off, b->off, differ) |
		compare_addresses(s, st, a, b, 0, 0, differ);
	if (a->kind != VAL_ELEM || b->kind != VAL_ELEM || a->where != b->where || a->off != b->off)
		return order;
	order |= compare_keys(s, st, a, b, differ);
	if (s->set->maps[a->where].type == BPF_MAP_TYPE_ARRAY)
		order = both_of_array(order);
	return order;
}
