// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include <linux/bpf.h>
#include <stdlib.h>
#include <string.h>

#include "check/sym.h"

#define BUCKETS	  4096
#define DEPTH_MAX 12

struct node {
	int op;
	__u8 depth;
	sym_t b, next;
	__u64 a;
};

struct syms {
	struct node *nodes; /* the first is not used */
	__u32 nr, room;
	unsigned long deep; /* expressions that were not made, as they are too long */
	bool keeps_constants;
	sym_t buckets[BUCKETS];
};

struct syms *syms_new(void)
{
	struct syms *syms = calloc(1, sizeof(*syms));

	if (syms)
		syms->nr = 1;
	return syms;
}

void syms_free(struct syms *syms)
{
	if (syms)
		free(syms->nodes);
	free(syms);
}

static bool has_child(int op)
{
	return op == SYM_LOW32 || (op >= SYM_ALU && op != SYM_ADDR);
}

static __u8 depth_of(const struct syms *syms, int op, __u64 a, sym_t b)
{
	__u8 depth = has_child(op) ? syms->nodes[a].depth : 0;

	if (b && syms->nodes[b].depth > depth)
		depth = syms->nodes[b].depth;
	/* The words of a key are side by side and add no depth. */
	return op == SYM_JOINED ? depth : depth + 1;
}

static sym_t syms_add(struct syms *syms, int op, __u64 a, sym_t b, sym_t *bucket)
{
	__u8 depth = depth_of(syms, op, a, b);

	if (syms->nr >= syms->room) {
		__u32 room = syms->room ? syms->room * 2 : 1024;
		struct node *nodes = realloc(syms->nodes, room * sizeof(*nodes));

		if (!nodes) {
			syms->deep++;
			return 0;
		}
		syms->nodes = nodes;
		syms->room = room;
	}
	if (depth > DEPTH_MAX) {
		syms->deep++;
		return 0;
	}
	syms->nodes[syms->nr] = (struct node){ op, depth, b, *bucket, a };
	*bucket = syms->nr;
	return syms->nr++;
}

static sym_t syms_intern(struct syms *syms, int op, __u64 a, sym_t b)
{
	__u64 h = (a * 0x9e3779b97f4a7c15ULL) ^ ((__u64)b << 20) ^ ((__u64)op << 7);
	sym_t *bucket = &syms->buckets[(h ^ h >> 29) % BUCKETS];

	for (sym_t s = *bucket; s; s = syms->nodes[s].next)
		if (syms->nodes[s].op == op && syms->nodes[s].a == a && syms->nodes[s].b == b)
			return s;
	return syms_add(syms, op, a, b, bucket);
}

unsigned long sym_deep(const struct syms *syms)
{
	return syms->deep;
}

sym_t sym_number(struct syms *syms, __u64 number)
{
	return syms_intern(syms, SYM_NUMBER, number, 0);
}

sym_t sym_fresh(struct syms *syms, __u64 where, bool low32)
{
	return syms_intern(syms, low32 ? SYM_FRESH32 : SYM_FRESH, where, 0);
}

sym_t sym_constant(struct syms *syms, __u32 map, __u32 off, unsigned int bytes)
{
	return syms_intern(syms, SYM_CONST, (__u64)map << 32 | off, sym_number(syms, bytes));
}

bool sym_is_constant(const struct syms *syms, sym_t s, __u64 *place)
{
	if (!s || syms->nodes[s].op != SYM_CONST)
		return false;
	*place = syms->nodes[s].a << 4 | syms->nodes[syms->nodes[s].b].a;
	return true;
}

void syms_keep_constants(struct syms *syms)
{
	syms->keeps_constants = true;
}

bool syms_keeps_constants(const struct syms *syms)
{
	return syms->keeps_constants;
}

bool sym_is_number(const struct syms *syms, sym_t s, __u64 *number)
{
	if (!s || syms->nodes[s].op != SYM_NUMBER)
		return false;
	*number = syms->nodes[s].a;
	return true;
}

static bool alu64_compute(__u8 op, __u64 a, __u64 b, __u64 *r)
{
	switch (op) {
	case BPF_ADD:
		return *r = a + b, true;
	case BPF_SUB:
		return *r = a - b, true;
	case BPF_MUL:
		return *r = a * b, true;
	case BPF_OR:
		return *r = a | b, true;
	case BPF_AND:
		return *r = a & b, true;
	case BPF_XOR:
		return *r = a ^ b, true;
	case BPF_LSH:
		return *r = a << (b & 63), true;
	case BPF_RSH:
		return *r = a >> (b & 63), true;
	case BPF_ARSH:
		return *r = (__s64)a >> (b & 63), true;
	case BPF_DIV:
		return *r = b ? a / b : 0, true;
	case BPF_MOD:
		return *r = b ? a % b : a, true;
	}
	return false;
}

bool sym_alu(__u8 code, __u64 a, __u64 b, __u64 *result)
{
	__u8 op = BPF_OP(code);

	if (BPF_CLASS(code) == BPF_ALU64)
		return alu64_compute(op, a, b, result);
	a = (__u32)a;
	b = op == BPF_LSH || op == BPF_RSH || op == BPF_ARSH ? b & 31 : (__u32)b;
	if (op == BPF_ARSH)
		a = (__u64)(__s32)a;
	if (!alu64_compute(op, a, b, result))
		return false;
	*result = (__u32)*result;
	return true;
}

sym_t sym_low32(struct syms *syms, sym_t s)
{
	const struct node *n = &syms->nodes[s];

	if (!s || n->op == SYM_FRESH32 || n->op == SYM_LOW32)
		return s;
	if (n->op == SYM_CONST && syms->nodes[n->b].a <= 4)
		return s;
	if (n->op == SYM_NUMBER)
		return sym_number(syms, (__u32)n->a);
	if (n->op >= SYM_ALU && n->op < SYM_ADDR && BPF_CLASS(n->op - SYM_ALU) == BPF_ALU)
		return s;
	return syms_intern(syms, SYM_LOW32, s, 0);
}

sym_t sym_make(struct syms *syms, int op, __u64 a, sym_t b)
{
	__u64 x, y, r;

	if (op == SYM_ADDR)
		return b ? syms_intern(syms, op, a, b) : 0;
	if (!a || !b)
		return 0;
	if (op < SYM_ADDR && sym_is_number(syms, a, &x) && sym_is_number(syms, b, &y) &&
	    sym_alu(op - SYM_ALU, x, y, &r))
		return sym_number(syms, r);
	return syms_intern(syms, op, a, b);
}

bool sym_depends(const struct syms *syms, sym_t s, sym_t on)
{
	const struct node *n = &syms->nodes[s];

	/* A symbol is made of older symbols only. */
	if (s <= on)
		return s && s == on;
	return (n->b && sym_depends(syms, n->b, on)) ||
	       (has_child(n->op) && sym_depends(syms, n->a, on));
}

bool sym_depends_any(const struct syms *syms, sym_t s, bool (*is)(const void *of, sym_t s),
		     const void *of)
{
	const struct node *n = &syms->nodes[s];

	if (!s || is(of, s))
		return s;
	return (n->b && sym_depends_any(syms, n->b, is, of)) ||
	       (has_child(n->op) && sym_depends_any(syms, n->a, is, of));
}

sym_t sym_replace(struct syms *syms, sym_t s, sym_t from, sym_t to)
{
	struct node n;
	__u64 a;
	sym_t b;

	if (s == from)
		return to;
	if (!sym_depends(syms, s, from))
		return s;
	if (!to)
		return 0;
	n = syms->nodes[s];
	a = has_child(n.op) ? sym_replace(syms, n.a, from, to) : n.a;
	b = n.b ? sym_replace(syms, n.b, from, to) : 0;
	return n.op == SYM_LOW32 ? sym_low32(syms, a) : sym_make(syms, n.op, a, b);
}

unsigned int sym_words(const struct syms *syms, sym_t s, __u32 *words, unsigned int room)
{
	unsigned int nr = 0;
	__u64 number;

	for (; s && syms->nodes[s].op == SYM_JOINED; s = syms->nodes[s].a) {
		if (nr == room || !sym_is_number(syms, syms->nodes[s].b, &number))
			return 0;
		words[nr++] = number;
	}
	if (nr == room || !sym_is_number(syms, s, &number))
		return 0;
	words[nr++] = number;
	return nr;
}

static __u8 alu_op(const struct node *n)
{
	bool alu = n->op >= SYM_ALU && n->op < SYM_ADDR;

	return alu ? BPF_OP(n->op - SYM_ALU) : 0xff;
}

sym_t sym_unscale(const struct syms *syms, sym_t s, __u32 size)
{
	const struct node *n;
	__u64 by;

	if (!s)
		return 0;
	n = &syms->nodes[s];
	if (!sym_is_number(syms, n->b, &by))
		return s;
	if ((alu_op(n) == BPF_LSH && by < 32 && 1U << by == size) ||
	    (alu_op(n) == BPF_MUL && by == size))
		return n->a;
	return s;
}

static __u64 product_max(__u64 a, __u64 b)
{
	return b && a > ~0ULL / b ? ~0ULL : a * b;
}

static __u64 alu_max(const struct syms *syms, const struct node *n, __u64 a)
{
	__u64 by = sym_max(syms, n->b);
	bool fixed = sym_is_number(syms, n->b, &by);

	switch (alu_op(n)) {
	case BPF_AND:
		return by < a ? by : a;
	case BPF_MOD:
		return fixed && by && by - 1 < a ? by - 1 : a;
	case BPF_RSH:
		return fixed && by < 64 ? a >> by : a;
	case BPF_LSH:
		return fixed && by < 32 ? product_max(a, 1ULL << by) : ~0ULL;
	case BPF_MUL:
		return product_max(a, by);
	case BPF_ADD:
	case BPF_OR: /* at most all bits of both */
	case BPF_XOR:
		return a > ~0ULL - by ? ~0ULL : a + by;
	case BPF_DIV:
		return a;
	}
	return ~0ULL;
}

__u64 sym_max(const struct syms *syms, sym_t s)
{
	const struct node *n = &syms->nodes[s];
	__u64 low32 = (__u32)-1, max = ~0ULL;

	if (!s)
		return max;
	if (n->op == SYM_NUMBER)
		return n->a;
	if (n->op == SYM_FRESH32)
		return low32;
	if (n->op == SYM_LOW32)
		max = sym_max(syms, n->a);
	else if (n->op >= SYM_ALU && n->op < SYM_ADDR)
		max = alu_max(syms, n, sym_max(syms, n->a));
	if (n->op != SYM_LOW32 && !(alu_op(n) != 0xff && BPF_CLASS(n->op - SYM_ALU) == BPF_ALU))
		return max;
	/* The result has 32 bits: larger values wrap. */
	return max < low32 ? max : low32;
}

/* 0 where the arithmetic may wrap. */
__u64 sym_min(const struct syms *syms, sym_t s)
{
	const struct node *n = &syms->nodes[s];
	__u64 a, b;

	if (!s || n->op == SYM_NUMBER)
		return s ? n->a : 0;
	if (n->op == SYM_LOW32)
		return sym_max(syms, n->a) <= (__u32)-1 ? sym_min(syms, n->a) : 0;
	if (alu_op(n) == 0xff || sym_max(syms, s) >= (__u32)-1)
		return 0;
	a = sym_min(syms, n->a);
	b = sym_min(syms, n->b);
	switch (alu_op(n)) {
	case BPF_ADD:
		return a + b;
	case BPF_OR:
		return a > b ? a : b;
	case BPF_LSH:
		return a << (b & 31);
	case BPF_MUL:
		return a * b;
	}
	return 0;
}

static sym_t sym_widen(const struct syms *syms, sym_t s)
{
	return s && syms->nodes[s].op == SYM_LOW32 ? (sym_t)syms->nodes[s].a : s;
}

sym_t sym_base(const struct syms *syms, sym_t s, __u64 *sum)
{
	__u64 number;

	s = sym_widen(syms, s);
	while (s && alu_op(&syms->nodes[s]) == BPF_ADD &&
	       sym_is_number(syms, syms->nodes[s].b, &number)) {
		*sum += number;
		s = sym_widen(syms, syms->nodes[s].a);
	}
	return s;
}

bool sym_is_next(const struct syms *syms, sym_t s, sym_t of)
{
	const struct node *n;
	__u64 number;

	s = sym_widen(syms, s);
	of = sym_widen(syms, of);
	if (!s || !of)
		return false;
	n = &syms->nodes[s];
	return alu_op(n) == BPF_ADD && sym_widen(syms, n->a) == of &&
	       sym_is_number(syms, n->b, &number) && (__s32)number > 0;
}

bool sym_is_next_in_ring(const struct syms *syms, sym_t s, sym_t of)
{
	const struct node *n;
	__u64 number;

	s = sym_widen(syms, s);
	if (!s)
		return false;
	n = &syms->nodes[s];
	if (alu_op(n) != BPF_MOD && (alu_op(n) != BPF_AND || !sym_is_number(syms, n->b, &number)))
		return false;
	/* @of may be reduced in the same way, or be small enough without. */
	of = sym_widen(syms, of);
	if (of && syms->nodes[of].op == n->op && syms->nodes[of].b == n->b)
		of = syms->nodes[of].a;
	return sym_is_next(syms, n->a, of);
}
