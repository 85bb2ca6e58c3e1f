/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Making, comparing and changing what is known on a path. */
#ifndef RQSPIN_CHECK_STATE_H
#define RQSPIN_CHECK_STATE_H

#include <stddef.h>

#include "check/path.h"

struct state *state_new(__u32 pc);
void state_free(struct state *st);
struct state *state_keep(const struct state *st); /* a copy to compare with only */
size_t state_bytes(const struct state *st);	  /* of what was kept */
struct state *state_copy(const struct state *st); /* NULL: no memory */
int state_push(struct state *st, __u32 ret, enum callback callback); /* 0, -E2BIG or -ENOMEM */
void state_pop(struct state *st);

bool lockid_same(const struct lockid *a, const struct lockid *b);
bool lockid_equal(const struct lockid *a, const struct lockid *b); /* member by member */

/* The same held locks in the same calls: what follows differs by values at most. */
bool state_alike(const struct state *a, const struct state *b);

/* Of states that are alike it is the same. */
__u32 state_hash(const struct state *st);

/* And the same pointers: what differs is numbers. */
bool state_close(const struct state *a, const struct state *b);

/* Whatever may follow the second one may follow the first. live: registers of the last frame. */
bool state_covers(const struct state *general, const struct state *st, __u32 live);

#define JOIN_UNKNOWN (~0U) /* what differs has no symbol afterwards */

/* st becomes what covers both. where: tells one place of joining from another. */
void state_join(struct syms *syms, struct state *st, const struct state *with, __u32 where);

/* Every symbol "from", and what is made of it, becomes "to"; 0: is no longer known to be equal. */
void state_replace(struct syms *syms, struct state *st, sym_t from, sym_t to);

/* A number that is made here: what was made here before is another one. */
struct val state_fresh(struct syms *syms, struct state *st, __u64 where, bool low32);

/* Pointers that were made there before and are not resolved yet: no longer known. */
void state_forget_origin(struct state *st, __u32 origin);

/* All that depends on symbols, and on places of pointers, that have been made anew. */
void state_forget_made(struct syms *syms, struct state *st, const struct made *made);

/* All copies of the pointer turn out to be NULL, or not to be. */
void state_resolve_null(struct state *st, __u32 origin, bool null);

/* Forget what nothing reads any more: registers that are not live, conditions on them. */
void state_forget(const struct syms *syms, struct state *st, __u32 live);

/* The path's conditions. False: they contradict each other, the path does not exist. */
bool state_assume(struct syms *syms, struct state *st, __u8 op, sym_t a, sym_t b);

#endif
