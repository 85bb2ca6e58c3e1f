/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* What one instruction, other than a jump or a call, does to what is known. */
#ifndef RQSPIN_CHECK_STEP_H
#define RQSPIN_CHECK_STEP_H

#include "check/progs.h"
#include "check/state.h"

/* What a step needs: the program, its maps and its symbols. */
struct stepper {
	const struct check_prog *prog;
	const struct check_set *set;
	struct syms *syms;
};

/* Executes the instruction at st->pc and moves on to the next one. */
void step_insn(const struct stepper *s, struct state *st);

/* The symbol of a number or of an address, 0 if it has none. */
sym_t step_sym(const struct stepper *s, const struct val *v);

/* The value in memory at that pointer; bytes at most 8. */
struct val step_read(const struct stepper *s, struct state *st, const struct val *ptr, int off,
		     unsigned int bytes);

/* Symbol of a key of that many bytes; 0: not known to be equal to any. */
sym_t step_key(const struct stepper *s, struct state *st, const struct val *ptr, __u32 bytes);

/* A function may have written to ptr; size 0: the number of bytes is not known. */
void step_clobber(const struct stepper *s, struct state *st, const struct val *ptr, __u32 size);

/* Symbol of the context's content, until something changes it. */
sym_t step_context(const struct stepper *s);

/* Code that has the context may have changed it. */
void step_forget_context(const struct stepper *s, struct state *st, const struct val *ptr);

/* The key that every element of the map has, if it has one only; else 0. */
sym_t step_only_key(const struct stepper *s, __u16 map);

/* Number of the map with this id, or -1. */
int step_map(const struct stepper *s, __u32 id);

#endif
