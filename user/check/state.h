/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Making, comparing and changing what is known on a path. */
#ifndef RQSPIN_CHECK_STATE_H
#define RQSPIN_CHECK_STATE_H

#include <stddef.h>

#include "check/path.h"

struct state *state_new(__u32 pc);
void state_free(struct state *st);
struct state *state_keep(const struct state *st); /* a copy to compare with only */
size_t state_bytes(const struct state *st);	  /* of a kept copy */
struct state *state_copy(const struct state *st); /* NULL: no memory */
int state_push(struct state *st, __u32 ret, enum callback callback); /* 0, -E2BIG or -ENOMEM */
void state_pop(struct state *st);

bool lockid_same(const struct lockid *a, const struct lockid *b);
bool lockid_equal(const struct lockid *a, const struct lockid *b); /* member by member */

/* Do both hold the same locks in the same calls? Then they differ by values at most. */
bool state_alike(const struct state *a, const struct state *b);

/* The same number for states that are alike. */
__u32 state_hash(const struct state *st);

/* Do states that are alike have the same pointers, too? Then they differ by numbers only. */
bool state_close(const struct state *a, const struct state *b);

/*
 * Can all that may follow the second state also follow the first? live: registers of the innermost
 * frame that still matter.
 */
bool state_covers(const struct state *general, const struct state *st, __u32 live);

#define JOIN_UNKNOWN (~0U) /* values that differ have no symbol afterwards */

/*
 * Merge: st becomes a state that covers both. where: the place of joining, which identifies new
 * symbols.
 */
void state_join(struct syms *syms, struct state *st, const struct state *with, __u32 where);

/*
 * Replace the symbol "from", and what is made of it, by "to"; 0: no longer known to be equal to
 * anything.
 */
void state_replace(struct syms *syms, struct state *st, sym_t from, sym_t to);

/* A number that is made here. One that was made here before is another number from now on. */
struct val state_fresh(struct syms *syms, struct state *st, __u64 where, bool low32);

/* Forget pointers that were made there before and have not been compared with NULL yet. */
void state_forget_origin(struct state *st, __u32 origin);

/* Forget all that depends on symbols, and on origins of pointers, that have been made anew. */
void state_forget_made(struct syms *syms, struct state *st, const struct made *made);

/* Settle for all copies of a pointer that they are NULL, or that they are not. */
void state_resolve_null(struct state *st, __u32 origin, bool null);

/* Forget what nothing reads any more: registers that are not live, conditions on them. */
void state_forget(const struct syms *syms, struct state *st, __u32 live);

/* Add a condition to the path. False: it contradicts the others, so the path does not exist. */
bool state_assume(struct syms *syms, struct state *st, __u8 op, sym_t a, sym_t b);

#endif
