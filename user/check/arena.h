/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Locks in an arena, which are plain instructions of the program: where they are taken and
 * released, and which ones they are.
 */
#ifndef RQSPIN_CHECK_ARENA_H
#define RQSPIN_CHECK_ARENA_H

#include "check/bounds.h"
#include "check/progs.h"
#include "check/step.h"

struct lock;

enum arena_act {
	ARENA_NONE,
	ARENA_LOCK,
	ARENA_TRYLOCK,
	ARENA_UNLOCK,
};

/* What the call of a function of the program is, by the function's name and instructions. */
enum arena_act arena_call(const struct check_prog *prog, __u32 pc);

/*
 * The first try of a lock function that is inlined: an exchange of 0 for something else, in a
 * source file whose name says that it has such a lock.
 */
bool arena_try(const struct check_prog *prog, const struct state *st);

/*
 * A write that may be to a lock that is held: that releases it. The owner of a lock has no other
 * reason to write there.
 */
bool arena_writes(const struct check_prog *prog, const struct state *st);

/* The register as a pointer to a lock: VAL_ARENA. */
struct val arena_pointer(const struct stepper *s, const struct val *v, int off);

/*
 * What happens to locks, by the instruction that takes them. Release the one at the first register;
 * a path ends; then, how many are never released: or in a way that is not known.
 */
void arena_drop(struct state *st, __u8 *seen);
void arena_end(const struct state *st, __u8 *seen);
unsigned long arena_kept(const struct check_prog *prog, const __u8 *seen);

/* Is the lock at the pointer held? */
bool arena_held(const struct state *st, const struct val *ptr);

/* Finds the arena of the program that was added last, if it uses one: before it is gone. 0 or
 * -ENOMEM.
 */
int arena_add(struct check_set *set, int fd);

/* Counts what may be a lock and is not followed. */
void arena_find(const struct check_prog *prog, struct bounds *bounds);

/* "cells[1].lock", "arena+0x1040" */
void arena_text(const struct check_set *set, const struct lock *lock, char *buf, size_t size);

#endif
