/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Numbers that are not known, but known to be equal: what an instruction yields is a symbol, and
 * the same arithmetic on the same symbols is the same symbol again.
 */
#ifndef RQSPIN_CHECK_SYM_H
#define RQSPIN_CHECK_SYM_H

#include <linux/types.h>
#include <stdbool.h>

typedef __u32 sym_t; /* 0: known to be equal to nothing */

enum sym_op {
	SYM_NUMBER, /* a: its value */
	SYM_FRESH,  /* a: where it comes from; of 64 bits */
	SYM_FRESH32,
	SYM_CONST,		  /* a: map and offset of data that never changes, b: bytes */
	SYM_LOW32,		  /* the lower half of a */
	SYM_ALU,		  /* from here on: SYM_ALU + the instruction's code, of a and b */
	SYM_ADDR = SYM_ALU + 256, /* address of an element; a: map and offset, b: key */
	SYM_JOINED,		  /* a then b, as the words of a key */
	SYM_FIELD,		  /* a field of the context a; b: place and size */
	SYM_PUT,		  /* + 1 to + 8: one or two bytes b somewhere in the word a */
};

struct syms;

struct syms *syms_new(void);
void syms_free(struct syms *syms);

/* Number of symbols that were not made because their expressions are too long. */
unsigned long sym_deep(const struct syms *syms);

/* 0 also if there is no memory, or if an expression grows too deep. */
sym_t sym_number(struct syms *syms, __u64 number);
sym_t sym_fresh(struct syms *syms, __u64 where, bool low32);
/* The constant at that place: the same number at each read. */
sym_t sym_constant(struct syms *syms, __u32 map, __u32 off, unsigned int bytes);

/* Is the symbol a constant? place: where it is read, which alone identifies it. */
bool sym_is_constant(const struct syms *syms, sym_t s, __u64 *place);

/* Keep conditions on constants for as long as the program runs? Set, and get. */
void syms_keep_constants(struct syms *syms);
bool syms_keeps_constants(const struct syms *syms);

sym_t sym_make(struct syms *syms, int op, __u64 a, sym_t b); /* a: a symbol but for SYM_ADDR */
sym_t sym_low32(struct syms *syms, sym_t s);

bool sym_is_number(const struct syms *syms, sym_t s, __u64 *number);

/* The largest and the smallest value that the symbol's arithmetic allows. */
__u64 sym_max(const struct syms *syms, sym_t s);
__u64 sym_min(const struct syms *syms, sym_t s);

bool sym_depends(const struct syms *syms, sym_t s, sym_t on);

/* Does "is" hold for the symbol, or for one that it is made of? */
bool sym_depends_any(const struct syms *syms, sym_t s, bool (*is)(const void *of, sym_t s),
		     const void *of);

/* s with every "from" in it replaced by "to". If to is 0: 0 if s has a "from" in it. */
sym_t sym_replace(struct syms *syms, sym_t s, sym_t from, sym_t to);

/* The words of a key from the last to the first, if all are numbers; else 0 of them. */
unsigned int sym_words(const struct syms *syms, sym_t s, __u32 *words, unsigned int room);

/* i of i * size, as compilers write it; else s itself. */
sym_t sym_unscale(const struct syms *syms, sym_t s, __u32 size);

/* The symbol to which a sum adds numbers; these go to sum. Only the lower halves agree. */
sym_t sym_base(const struct syms *syms, sym_t s, __u64 *sum);

/* Is s the sum of "of" and a number above 0? The same, modulo something? */
bool sym_is_next(const struct syms *syms, sym_t s, sym_t of);
bool sym_is_next_in_ring(const struct syms *syms, sym_t s, sym_t of);

/* The result of an ALU instruction on two numbers; false: the instruction is not known. */
bool sym_alu(__u8 code, __u64 a, __u64 b, __u64 *result);

#endif
