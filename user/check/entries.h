/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Functions with many callers: each is followed once for each state that it can see at its entry.
 * The states in which it returns go on behind all calls that enter it in that state.
 */
#ifndef RQSPIN_CHECK_ENTRIES_H
#define RQSPIN_CHECK_ENTRIES_H

#include "check/state.h"

struct entries;

/* Takes over a state to follow. 0 or -errno. */
typedef int (*entries_put)(void *to, struct state *st);

struct entries *entries_new(__u32 nr_insns, struct syms *syms, entries_put put, void *to);
void entries_free(struct entries *e);

/*
 * The cost so far: comparisons and copies of states (comparisons of hashes count for their share),
 * and memory of the states that are kept.
 */
unsigned long entries_looks(const struct entries *e);
size_t entries_bytes(const struct entries *e);

/*
 * The state has just entered a function. 1: follow it as part of its caller, 0: states that are to
 * be followed have been put, -errno.
 */
int entries_enter(struct entries *e, struct state *st);

/* Does a return from the innermost function leave the one that was entered? */
bool entries_ends(const struct state *st);

/* Leave the function that was entered: all its callers go on. 0 or -errno. */
int entries_leave(struct entries *e, struct state *st);

/*
 * When nothing is left to follow: resume callers of functions that have made more symbols anew
 * since. 0 or -errno.
 */
int entries_settle(struct entries *e);

#endif
