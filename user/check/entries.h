/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Functions that many ways lead to: each is followed once for what it can see at its entry, and
 * what comes out of it goes on behind all calls that enter it so.
 */
#ifndef RQSPIN_CHECK_ENTRIES_H
#define RQSPIN_CHECK_ENTRIES_H

#include "check/state.h"

struct entries;

/* Gets a state to follow, which is its own from then on. 0 or -errno. */
typedef int (*entries_put)(void *to, struct state *st);

struct entries *entries_new(__u32 nr_insns, struct syms *syms, entries_put put, void *to);
void entries_free(struct entries *e);

/*
 * What it has cost: comparisons and copies of states (of their hashes, too, at what these take),
 * memory of those that are kept.
 */
unsigned long entries_looks(const struct entries *e);
size_t entries_bytes(const struct entries *e);

/*
 * The state has just entered a function. 1: follow it as one of its caller, 0: what is to be
 * followed has been put, -errno.
 */
int entries_enter(struct entries *e, struct state *st);

/* Does an exit from the last function leave what was entered? */
bool entries_ends(const struct state *st);

/* It does: all who entered go on. 0 or -errno. */
int entries_leave(struct entries *e, struct state *st);

/* When nothing is left to follow: goes on where something has been learned since. As above. */
int entries_settle(struct entries *e);

#endif
