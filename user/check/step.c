// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include <linux/bpf.h>
#include <string.h>

#include "check/step.h"

#define ANY ((struct val){ .kind = VAL_ANY })

/* PROBE_* are the verifier's own modes, for memory that may be absent and for arenas. */
#define MEMSX	     0x80
#define PROBE_MEMSX  0x40
#define PROBE_ATOMIC 0xe0
#define LOAD_ACQUIRE 0x100

static struct val val_number(__u64 n)
{
	return (struct val){ .kind = VAL_NUMBER, .number = n };
}

static struct val val_symbol(const struct stepper *s, sym_t sym)
{
	__u64 n;

	if (!sym)
		return ANY;
	if (sym_is_number(s->syms, sym, &n))
		return val_number(n);
	return (struct val){ .kind = VAL_SYM, .sym = sym };
}

/* Number of a value that the instruction makes: there is room for one per stack word. */
static __u64 value_place(const struct state *st, unsigned int nth)
{
	return (__u64)st->pc * 256 + nth;
}

static struct val val_fresh(const struct stepper *s, struct state *st, bool low32)
{
	return state_fresh(s->syms, st, value_place(st, 0), low32);
}

int step_map(const struct stepper *s, __u32 id)
{
	for (size_t i = 0; i < s->set->nr_maps; i++)
		if (s->set->maps[i].id == id)
			return i;
	return -1;
}

sym_t step_only_key(const struct stepper *s, __u16 map)
{
	const struct check_map *m = &s->set->maps[map];

	return m->type == BPF_MAP_TYPE_ARRAY && m->max_entries == 1 && !m->sized ?
		       sym_number(s->syms, 0) :
		       0;
}

sym_t step_sym(const struct stepper *s, const struct val *v)
{
	switch (v->kind) {
	case VAL_NUMBER:
		return sym_number(s->syms, v->number);
	case VAL_SYM:
		return v->sym;
	case VAL_ELEM:
		return sym_make(s->syms, SYM_ADDR, (__u64)v->where << 32 | (__u32)v->off, v->sym);
	case VAL_OBJECT:
		return sym_make(s->syms, SYM_ADDR, 1ULL << 63 | (__u32)v->off, v->sym);
	}
	return 0;
}

static struct val val_low32(const struct stepper *s, const struct val *v)
{
	switch (v->kind) {
	case VAL_NUMBER:
		return val_number((__u32)v->number);
	case VAL_SYM:
		return val_symbol(s, sym_low32(s->syms, v->sym));
	case VAL_ERROR:
		return *v;
	}
	return ANY;
}

static int word_at(int at)
{
	return at >= 0 || at < -STACK_WORDS * 4 ? -1 : (-at - 1) / 4;
}

/* Word of the stack frame that ptr + off points into, -1 if none, or if it may be another. */
static int word_of(const struct val *ptr, int off)
{
	return ptr->number ? -1 : word_at(ptr->off + off);
}

static struct val *frame_word(struct frame *f, int nr)
{
	if (nr >= f->nr_words) {
		memset(&f->words[f->nr_words], 0, (nr + 1 - f->nr_words) * sizeof(f->words[0]));
		f->nr_words = nr + 1;
	}
	return &f->words[nr];
}

static struct val *stack_word(struct state *st, const struct val *ptr, int nr)
{
	struct frame *f = ptr->where < st->nr_frames ? st->frames[ptr->where] : NULL;

	return f && nr >= 0 ? frame_word(f, nr) : NULL;
}

static bool may_be_stack(const struct val *v)
{
	return v->kind == VAL_STACK || v->kind == VAL_ANYWHERE;
}

static void upper_forget(const struct stepper *s, struct val *low, struct val *high, bool pointers)
{
	if (low->kind < VAL_ANYWHERE) {
		*low = val_low32(s, low);
		*high = ANY;
	} else if (pointers) {
		*low = (struct val){ .kind = VAL_ANYWHERE };
	}
}

/* The bytes from low to high may have been written; pointers: by pointers, too. */
static void frame_forget(const struct stepper *s, struct state *st, struct frame *f, int low,
			 int high, bool pointers)
{
	int first = word_at(low < -STACK_WORDS * 4 ? -STACK_WORDS * 4 : low);
	int last = word_at(high < 0 ? high : -1);

	/* Where paths meet, only words that were written are compared: these now are. */
	if (first >= 0)
		frame_word(f, first);
	for (int nr = first; nr >= 0 && nr >= last; nr--) {
		struct val *w = &f->words[nr];
		bool half = nr && f->words[nr - 1].kind == VAL_HIGH;

		/* The lower half of a value describes both halves. */
		if (w->kind == VAL_HIGH && nr < first)
			continue;
		if (w->kind == VAL_HIGH && nr + 1 < f->nr_words)
			upper_forget(s, &f->words[nr + 1], w, pointers);
		else if (w->kind >= VAL_ANYWHERE && pointers)
			*w = (struct val){ .kind = VAL_ANYWHERE };
		else if (w->kind < VAL_ANYWHERE)
			*w = state_fresh(s->syms, st, value_place(st, 1 + nr), !half);
	}
}

/* Forget what a write somewhere in a range, or anywhere, may have changed. */
static void stack_forget(const struct stepper *s, struct state *st, const struct val *ptr, int off,
			 __u32 size, bool pointers)
{
	bool whole = ptr->kind == VAL_ANYWHERE || ptr->number == STACK_WHOLE;
	int low = whole ? -STACK_WORDS * 4 : ptr->off + off;
	int high = whole || !size ? -1 : ptr->off + off + (int)ptr->number + (int)size - 1;

	for (int i = 0; i < st->nr_frames; i++)
		if (ptr->kind == VAL_ANYWHERE || ptr->where == i)
			frame_forget(s, st, st->frames[i], low, high, pointers);
}

static struct val both_words(const struct stepper *s, const struct val *low, const struct val *high)
{
	if (high && high->kind == VAL_HIGH)
		return *low;
	if (high && low->kind == VAL_NUMBER && high->kind == VAL_NUMBER)
		return val_number((__u32)low->number | high->number << 32);
	if (high && high->kind == VAL_NUMBER && !high->number && low->kind == VAL_SYM)
		return val_symbol(s, sym_low32(s->syms, low->sym));
	return ANY;
}

static struct val read_stack(const struct stepper *s, struct state *st, const struct val *ptr,
			     int off, unsigned int bytes)
{
	int nr = word_of(ptr, off);
	struct val *low = stack_word(st, ptr, nr), *high;
	struct val v;

	if (!low)
		return ANY;
	if ((ptr->off + off) & 3 || bytes < 4)
		return ANY;
	high = stack_word(st, ptr, nr - 1);
	v = bytes == 8			   ? both_words(s, low, high) :
	    high && high->kind == VAL_HIGH ? val_low32(s, low) :
					     *low;
	return v;
}

static bool is_known(const struct check_map *m, int off, unsigned int bytes)
{
	for (unsigned int i = 0; m->known && i < bytes; i++)
		if (!m->known[off + i])
			return false;
	return true;
}

/* A place that is not known has the same value each time that it is read. */
static struct val read_fixed(const struct stepper *s, const struct val *ptr, int off,
			     unsigned int bytes)
{
	const struct check_map *m = &s->set->maps[ptr->where];
	__u64 n = 0;

	if (off < 0 || off + bytes > m->value_size)
		return ANY;
	if (is_known(m, off, bytes)) {
		memcpy(&n, (char *)m->fixed + off, bytes);
		return val_number(n);
	}
	return val_symbol(s, sym_constant(s->syms, ptr->where, off, bytes));
}

static struct val read_context(const struct stepper *s, const struct val *ptr, int off,
			       unsigned int bytes)
{
	sym_t place = sym_number(s->syms, (__u64)(__u32)(ptr->off + off) << 8 | bytes);
	sym_t sym = ptr->number ? 0 : sym_make(s->syms, SYM_FIELD, ptr->sym, place);

	return val_symbol(s, bytes <= 4 ? sym_low32(s->syms, sym) : sym);
}

struct val step_read(const struct stepper *s, struct state *st, const struct val *ptr, int off,
		     unsigned int bytes)
{
	struct val v = ANY;

	if (ptr->kind == VAL_STACK)
		v = read_stack(s, st, ptr, off, bytes);
	else if (ptr->kind == VAL_ELEM && ptr->sym && s->set->maps[ptr->where].fixed)
		v = read_fixed(s, ptr, ptr->off + off, bytes);
	else if (ptr->kind == VAL_CONTEXT)
		v = read_context(s, ptr, off, bytes);
	else if (ptr->kind == VAL_KEY && s->set->maps[ptr->where].key_size == bytes &&
		 !(ptr->off + off))
		v = val_symbol(s, ptr->sym);
	return v;
}

/* Write some bytes of a word; the others stay. */
static void write_part(const struct stepper *s, struct val *w, unsigned int at, const struct val *v,
		       unsigned int bytes)
{
	__u32 mask = (bytes == 1 ? 0xffU : 0xffffU) << 8 * at;
	sym_t a = w->kind == VAL_HIGH ? 0 : step_sym(s, w), b = step_sym(s, v);

	if (w->kind == VAL_NUMBER && v->kind == VAL_NUMBER)
		*w = val_number((w->number & ~mask) | (v->number << 8 * at & mask));
	else
		*w = val_symbol(s,
				sym_make(s->syms, SYM_PUT + 1 + at + (bytes == 1 ? 0 : 4), a, b));
}

static void write_stack(const struct stepper *s, struct state *st, const struct val *ptr, int off,
			const struct val *v, unsigned int bytes)
{
	int nr = word_of(ptr, off);
	struct val *low = stack_word(st, ptr, nr), *high = stack_word(st, ptr, nr - 1);

	/* The write is to parts of two words, or to no known place. */
	if (ptr->number || (ptr->off + off) & (bytes < 4 ? bytes - 1 : 3)) {
		stack_forget(s, st, ptr, off, bytes, bytes == 8);
		return;
	}
	if (!low)
		return;
	/* One half of a value is overwritten: forget the other half. */
	if (bytes < 8 && high && high->kind == VAL_HIGH)
		*high = ANY;
	if (low->kind == VAL_HIGH && nr + 1 < st->frames[ptr->where]->nr_words)
		*stack_word(st, ptr, nr + 1) = ANY;
	if (bytes < 4) {
		write_part(s, low, (ptr->off + off) & 3, v, bytes);
		return;
	}
	*low = bytes == 4 ? val_low32(s, v) : *v;
	if (bytes < 8 || !high)
		return;
	*high = (struct val){ .kind = VAL_HIGH };
	if (v->kind == VAL_NUMBER) {
		*low = val_number((__u32)v->number);
		*high = val_number(v->number >> 32);
	}
}

sym_t step_key(const struct stepper *s, struct state *st, const struct val *ptr, __u32 bytes)
{
	sym_t key = 0;

	if (ptr->kind == VAL_KEY && !ptr->off && s->set->maps[ptr->where].key_size == bytes)
		return ptr->sym;
	for (__u32 at = 0; at < bytes; at += 4) {
		unsigned int left = bytes - at < 4 ? bytes - at : 4;
		struct val v = step_read(s, st, ptr, at, ptr->kind == VAL_STACK ? 4 : left);
		sym_t w;

		/* An upper half needs no word of its own: the lower half stands for all 8 bytes. */
		if (v.kind == VAL_HIGH && at)
			continue;
		if (at + 8 <= bytes && ptr->kind == VAL_STACK) {
			struct val whole = step_read(s, st, ptr, at, 8);

			v = whole.kind == VAL_SYM ? whole : v;
		}
		if (v.kind == VAL_NUMBER && left < 4)
			v.number &= (1ULL << 8 * left) - 1;
		w = v.kind == VAL_NUMBER || v.kind == VAL_SYM ? step_sym(s, &v) : 0;
		if (!w)
			return 0;
		key = at ? sym_make(s->syms, SYM_JOINED, key, w) : w;
	}
	return key;
}

sym_t step_context(const struct stepper *s)
{
	return sym_fresh(s->syms, ~0ULL, false);
}

void step_forget_context(const struct stepper *s, struct state *st, const struct val *ptr)
{
	if (ptr->kind == VAL_ANYWHERE)
		state_replace(s->syms, st, step_context(s), 0);
	else if (ptr->kind == VAL_CONTEXT && ptr->sym)
		state_replace(s->syms, st, ptr->sym, 0);
}

/* Pointers there are kept: a program that reads one can rely on it that it was not overwritten. */
void step_clobber(const struct stepper *s, struct state *st, const struct val *ptr, __u32 size)
{
	if (!may_be_stack(ptr))
		return;
	stack_word(st, ptr, word_of(ptr, 0));
	stack_forget(s, st, ptr, 0, size, false);
}

static const struct bpf_insn *insn_at(const struct stepper *s, const struct state *st)
{
	return &s->prog->insns[st->pc];
}

static __u64 operand_imm(const struct bpf_insn *insn)
{
	return (__u64)(__s64)insn->imm;
}

static struct val insn_source(const struct state *st, const struct bpf_insn *insn)
{
	return BPF_SRC(insn->code) == BPF_X ? *state_reg(st, insn->src_reg) :
					      val_number(operand_imm(insn));
}

static struct val sign_extend(const struct stepper *s, const struct val *v, int bits, __u8 code)
{
	int shift = 64 - bits;

	if (v->kind == VAL_ERROR)
		return *v;
	if (v->kind == VAL_NUMBER) {
		__u64 n = (__u64)((__s64)(v->number << shift) >> shift);

		return val_number(BPF_CLASS(code) == BPF_ALU ? (__u32)n : n);
	}
	if (v->kind == VAL_SYM)
		return val_symbol(s, sym_make(s->syms, SYM_ALU + (code & ~BPF_X), v->sym,
					      sym_number(s->syms, bits)));
	return ANY;
}

/* An offset of 1 is no width: BPF_ADDR_SPACE_CAST. */
static bool is_sign_extension(const struct bpf_insn *insn)
{
	return insn->off == 8 || insn->off == 16 || insn->off == 32;
}

static struct val insn_move(const struct stepper *s, const struct state *st,
			    const struct bpf_insn *insn)
{
	struct val v = insn_source(st, insn);

	if (BPF_SRC(insn->code) == BPF_X && is_sign_extension(insn))
		return sign_extend(s, &v, insn->off, insn->code);
	/* A cast between address spaces, or an address of a per-CPU variable. */
	if (BPF_SRC(insn->code) == BPF_X && insn->off)
		return ANY;
	return BPF_CLASS(insn->code) == BPF_ALU64 ? v : val_low32(s, &v);
}

static bool is_pointer(const struct val *v)
{
	return v->kind >= VAL_STACK && v->kind != VAL_FUNC;
}

static __u32 elem_size(const struct check_map *m)
{
	return (m->value_size + 7) & ~7U;
}

/* The program computes the address of an array's element itself. */
static struct val array_elem(const struct stepper *s, const struct val *map,
			     const struct val *index)
{
	const struct check_map *m = &s->set->maps[map->where];
	struct val v = { .kind = VAL_ELEM, .where = map->where };

	if (index->kind == VAL_NUMBER && elem_size(m)) {
		v.sym = sym_number(s->syms, index->number / elem_size(m));
		v.off = index->number % elem_size(m);
	} else if (index->kind == VAL_SYM) {
		v.sym = sym_unscale(s->syms, index->sym, elem_size(m));
	}
	return v;
}

/* The largest value that the path's conditions and the number's own arithmetic allow. */
static __u64 number_max(const struct stepper *s, const struct state *st, const struct val *v)
{
	sym_t sym = step_sym(s, v);
	__u64 max = v->kind == VAL_NUMBER || v->kind == VAL_SYM ? sym_max(s->syms, sym) : ~0ULL;
	__u64 n;

	for (int i = 0; sym && i < st->nr_facts; i++) {
		const struct fact *f = &st->facts[i];

		if (f->a == sym && (f->op == BPF_JLT || f->op == BPF_JLE) &&
		    sym_is_number(s->syms, f->b, &n) && n < max)
			max = n;
	}
	return max;
}

static struct val add_stack(const struct stepper *s, const struct state *st, const struct val *ptr,
			    const struct val *n, bool minus)
{
	__u64 max = minus ? ~0ULL : number_max(s, st, n), min = sym_min(s->syms, step_sym(s, n));
	struct val v = *ptr;

	if (n->kind == VAL_NUMBER && v.number != STACK_WHOLE)
		v.off += minus ? -(__s32)n->number : (__s32)n->number;
	else if (v.number < STACK_WORDS * 4 && max < STACK_WORDS * 4 && min <= max) {
		v.off += min;
		v.number += max - min;
	} else
		v.number = STACK_WHOLE;
	if (v.number == STACK_WHOLE)
		v.off = 0;
	return v;
}

static struct val add_pointer(const struct stepper *s, const struct state *st,
			      const struct val *ptr, const struct val *n, bool minus)
{
	struct val v = *ptr;

	if (ptr->kind == VAL_MAP && ptr->off && !minus)
		return array_elem(s, ptr, n);
	if (ptr->kind == VAL_STACK)
		return add_stack(s, st, ptr, n, minus);
	if (n->kind != VAL_NUMBER) {
		v.number = 1;
		return ptr->kind == VAL_CONTEXT ? v : ANY;
	}
	if (v.kind == VAL_ELEM && v.off == ELEM_INNER) {
		v.off = 0;
		return v;
	}
	v.off += minus ? -(__s32)n->number : (__s32)n->number;
	return v;
}

static struct val alu_result(const struct stepper *s, const struct state *st,
			     const struct bpf_insn *insn, const struct val *a, const struct val *b)
{
	__u8 op = BPF_OP(insn->code);
	__u64 n;

	if (a->kind == VAL_ANYWHERE || b->kind == VAL_ANYWHERE)
		return (struct val){ .kind = VAL_ANYWHERE };
	if (BPF_CLASS(insn->code) == BPF_ALU64 && (op == BPF_ADD || op == BPF_SUB)) {
		if (is_pointer(a) && !is_pointer(b))
			return add_pointer(s, st, a, b, op == BPF_SUB);
		if (op == BPF_ADD && is_pointer(b) && !is_pointer(a))
			return add_pointer(s, st, b, a, false);
	}
	/* Older compilers extend an int by two shifts. */
	if (a->kind == VAL_ERROR && b->kind == VAL_NUMBER && b->number == 32 &&
	    (op == BPF_LSH || op == BPF_ARSH))
		return *a;
	if (is_pointer(a) || is_pointer(b) || insn->off || op == BPF_END)
		return ANY;
	if (a->kind == VAL_NUMBER && b->kind == VAL_NUMBER &&
	    sym_alu(insn->code, a->number, b->number, &n))
		return val_number(n);
	return val_symbol(s, sym_make(s->syms, SYM_ALU + (insn->code & ~BPF_X), step_sym(s, a),
				      step_sym(s, b)));
}

static void step_alu(const struct stepper *s, struct state *st, const struct bpf_insn *insn)
{
	struct val *dst = state_reg(st, insn->dst_reg);
	struct val src = insn_source(st, insn), zero = val_number(0);
	struct val v;

	if (BPF_OP(insn->code) == BPF_MOV)
		v = insn_move(s, st, insn);
	else if (BPF_OP(insn->code) == BPF_NEG)
		v = dst->kind == VAL_NUMBER ? val_number(-dst->number) : ANY;
	else if (BPF_OP(insn->code) == BPF_XOR && BPF_SRC(insn->code) == BPF_X &&
		 insn->dst_reg == insn->src_reg)
		v = zero;
	else
		v = alu_result(s, st, insn, dst, &src);
	if (BPF_CLASS(insn->code) == BPF_ALU)
		v = val_low32(s, &v);
	/* The result is not known, but it is one number for all its copies. */
	if (v.kind == VAL_ANY && !is_pointer(dst))
		v = val_fresh(s, st, BPF_CLASS(insn->code) == BPF_ALU);
	*state_reg(st, insn->dst_reg) = v;
	st->pc++;
}

static unsigned int size_of(__u8 code)
{
	static const unsigned int sizes[] = {
		[BPF_W >> 3] = 4, [BPF_H >> 3] = 2, [BPF_B >> 3] = 1, [BPF_DW >> 3] = 8
	};

	return sizes[BPF_SIZE(code) >> 3];
}

static void step_load(const struct stepper *s, struct state *st, const struct bpf_insn *insn)
{
	unsigned int bytes = size_of(insn->code);
	struct val ptr = *state_reg(st, insn->src_reg);
	struct val v = step_read(s, st, &ptr, insn->off, bytes);
	bool sign = BPF_MODE(insn->code) == MEMSX || BPF_MODE(insn->code) == PROBE_MEMSX;

	if (v.kind == VAL_HIGH)
		v = ANY;
	if (sign)
		v = sign_extend(s, &v, bytes * 8, BPF_ALU64 | BPF_MOV);
	if (v.kind == VAL_ANY)
		v = val_fresh(s, st, bytes <= 4 && !sign);
	*state_reg(st, insn->dst_reg) = v;
	st->pc++;
}

static void step_atomic(const struct stepper *s, struct state *st, const struct bpf_insn *insn)
{
	struct val ptr = *state_reg(st, insn->dst_reg);
	bool low = BPF_SIZE(insn->code) != BPF_DW;

	/* The second register of a load-acquire is its pointer. */
	if (may_be_stack(&ptr) && insn->imm != LOAD_ACQUIRE)
		stack_forget(s, st, &ptr, insn->off, size_of(insn->code), !low);
	if (insn->imm == BPF_CMPXCHG)
		*state_reg(st, BPF_REG_0) = val_fresh(s, st, low);
	else if (insn->imm & BPF_FETCH)
		*state_reg(st, insn->src_reg) = val_fresh(s, st, low);
	else if (insn->imm == LOAD_ACQUIRE)
		*state_reg(st, insn->dst_reg) = val_fresh(s, st, low);
	st->pc++;
}

static bool is_atomic(const struct bpf_insn *insn)
{
	return BPF_MODE(insn->code) == BPF_ATOMIC || BPF_MODE(insn->code) == PROBE_ATOMIC;
}

static void step_store(const struct stepper *s, struct state *st, const struct bpf_insn *insn)
{
	struct val ptr = *state_reg(st, insn->dst_reg);
	struct val v = BPF_CLASS(insn->code) == BPF_STX ? *state_reg(st, insn->src_reg) :
							  val_number(operand_imm(insn));

	/* A store outside the stack may report the failure. */
	if (ptr.kind != VAL_STACK)
		st->quiet_pc = 0;
	step_forget_context(s, st, &ptr);
	if (BPF_CLASS(insn->code) == BPF_STX && is_atomic(insn)) {
		step_atomic(s, st, insn);
		return;
	}
	if (ptr.kind == VAL_STACK)
		write_stack(s, st, &ptr, insn->off, &v, size_of(insn->code));
	else if (ptr.kind == VAL_ANYWHERE)
		stack_forget(s, st, &ptr, insn->off, size_of(insn->code),
			     BPF_SIZE(insn->code) == BPF_DW);
	st->pc++;
}

static void load_wide(const struct stepper *s, struct state *st, const struct bpf_insn *insn)
{
	int map = -1;
	struct val v = ANY;

	if (insn->src_reg == BPF_PSEUDO_MAP_FD || insn->src_reg == BPF_PSEUDO_MAP_VALUE)
		map = step_map(s, insn->imm);
	if (!insn->src_reg)
		v = val_number((__u32)insn->imm | (__u64)(__u32)insn[1].imm << 32);
	else if (insn->src_reg == BPF_PSEUDO_FUNC)
		v = (struct val){ .kind = VAL_FUNC, .number = st->pc + 1 + insn->imm };
	else if (map >= 0 && insn->src_reg == BPF_PSEUDO_MAP_FD)
		v = (struct val){ .kind = VAL_MAP, .where = map };
	else if (map >= 0)
		v = (struct val){ .kind = VAL_ELEM,
				  .where = map,
				  .off = insn[1].imm,
				  .sym = sym_number(s->syms, 0) };
	*state_reg(st, insn->dst_reg) = v;
	st->pc += 2;
}

void step_insn(const struct stepper *s, struct state *st)
{
	const struct bpf_insn *insn = insn_at(s, st);

	switch (BPF_CLASS(insn->code)) {
	case BPF_ALU:
	case BPF_ALU64:
		step_alu(s, st, insn);
		return;
	case BPF_LDX:
		step_load(s, st, insn);
		return;
	case BPF_ST:
	case BPF_STX:
		step_store(s, st, insn);
		return;
	}
	if (insn->code == (BPF_LD | BPF_IMM | BPF_DW)) {
		load_wide(s, st, insn);
		return;
	}
	/* Old ways to read a packet: calls in disguise. */
	*state_reg(st, BPF_REG_0) = val_fresh(s, st, true);
	st->pc++;
}
