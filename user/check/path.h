/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* What is known at one instruction on one path: registers, stack, held locks, conditions. */
#ifndef RQSPIN_CHECK_PATH_H
#define RQSPIN_CHECK_PATH_H

#include <linux/types.h>
#include <stdbool.h>

#include "check/bounds.h"
#include "check/sym.h"

#define STATE_FRAMES 10
#define STATE_HELD   36
#define STATE_FACTS  12
#define STATE_REGS   12		   /* with the one that the kernel keeps for itself */
#define ELEM_INNER   (-0x40000000) /* offset until the program adds that of the value */
#define STACK_WORDS                                                                         \
	160		    /* of 4 bytes, the verifier's own among them; word 0 is the one \
			     * below the frame pointer */
#define STACK_WHOLE (~0ULL) /* a pointer to no known place of its frame */

#define ARENA_ANY 0xffff /* where: in the arena, but not at a known place */

struct entry;
struct made;

enum val_kind {
	VAL_ANY,
	VAL_NUMBER,
	VAL_SYM,      /* a number that is not known, but equal to others of its symbol */
	VAL_ERROR,    /* of a lock function: not 0, negative */
	VAL_HIGH,     /* upper half of the 8 bytes in the word below */
	VAL_ANYWHERE, /* not known, and perhaps a pointer into a stack frame */
	VAL_STACK,    /* from here on: pointers */
	VAL_MAP,      /* to a map itself */
	VAL_ELEM,     /* into an element of a map */
	VAL_OBJECT,
	VAL_CONTEXT, /* the program's argument; sym: as long as nothing changes it */
	VAL_FUNC,
	VAL_KEY,   /* to the key of an element, which is sym */
	VAL_ARENA, /* to a lock in an arena: only while one is taken or released */
};

/**
 * struct val - a register or a word of the stack
 * @kind: enum val_kind
 * @maybe_null: a pointer that has not been compared with NULL yet
 * @where: frame of the stack, number of the map or of the object's type
 * @off: what has been added to the pointer
 * @number: the number of VAL_NUMBER; the instruction of VAL_FUNC; for VAL_STACK, the most that may
 *	have been added to @off besides; for VAL_CONTEXT, 1 if something unknown has been added
 * @sym: the symbol of VAL_SYM; the key of VAL_ELEM and VAL_KEY; the identity of VAL_OBJECT
 * @origin: where a pointer that may be NULL comes from: a test for NULL settles it for all copies
 */
struct val {
	__u8 kind;
	bool maybe_null;
	__u16 where;
	__s32 off;
	__u64 number;
	sym_t sym;
	__u32 origin;
};

/* Identity of a lock: two are one lock if all members are equal and sym is not 0. */
struct lockid {
	__u8 kind; /* VAL_ELEM, VAL_OBJECT, VAL_ARENA, else unknown */
	__u16 where;
	__s32 off;
	sym_t sym;
};

struct held {
	struct lockid lock;
	__u32 pc;
	bool irqsave, plain; /* plain: bpf_spin_lock() */
};

struct fact {
	__u8 op; /* BPF_JEQ, BPF_JNE, BPF_JLT, BPF_JLE, BPF_JSLT, BPF_JSLE */
	sym_t a, b;
};

/* A frame that the kernel calls: when it is left, the call is made again, or has been made. */
enum callback { CALLBACK_NONE, CALLBACK_AGAIN, CALLBACK_ONCE };

struct frame {
	__u32 ret;     /* where it goes on when the frame is left */
	__u8 callback; /* enum callback */
	bool fresh;    /* just entered */
	__u16 nr_words;
	struct val regs[STATE_REGS];
	struct val words[STACK_WORDS];
};

/**
 * struct state - one path, up to an instruction
 * @pc: the instruction that comes next
 * @irq_off: nesting of bpf_local_irq_save()
 * @failed_held: number of locks that were held when @failed failed
 * @quiet_pc: where an acquisition failed, if nothing but releases has happened since; else 0
 * @clean: no acquisition has failed, @took: at least one has succeeded
 * @failed: the lock that failed last, unless one was taken or released since; kind 0: none
 * @failed_pc: where @failed failed
 * @bounds: of the walk that the path belongs to, or NULL
 * @inside: entry of a function followed once for many calls, if the path is in one; or NULL
 * @made: collects what is made anew in that function
 * @resume_pc: where a waiting caller goes on; @resume_how: enum callback
 * @behind: a caller goes on here: other paths may have done so; @met: it was checked that none has
 * @loose: it has been in a function that was followed once for many calls: nothing is certain
 */
struct state {
	__u32 pc;
	__u8 nr_frames, nr_held, nr_facts, irq_off;
	struct held held[STATE_HELD];
	struct fact facts[STATE_FACTS];
	struct lockid failed;
	__u32 failed_pc;
	__u8 failed_held;
	__u32 quiet_pc;
	bool clean, took;
	struct bounds *bounds;
	struct entry *inside;
	struct made *made;
	__u32 resume_pc;
	__u8 resume_how;
	bool behind, met, loose;
	struct frame *frames[STATE_FRAMES];
};

static inline struct frame *state_top(const struct state *st)
{
	return st->frames[st->nr_frames - 1];
}

static inline struct val *state_reg(const struct state *st, int reg)
{
	return &state_top(st)->regs[reg];
}

#endif
