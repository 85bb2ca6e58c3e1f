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

/* Classify a call of one of the program's functions, by the function's name and instructions. */
enum arena_act arena_call(const struct check_prog *prog, __u32 pc);

/*
 * Is the instruction the inlined first try of a lock function: an exchange of 0 for something else,
 * in a source file with "arena" and "lock" in its name?
 */
bool arena_try(const struct check_prog *prog, const struct state *st);

/*
 * May the instruction write to a lock that is held? Such a write releases the lock: its owner has
 * no other reason to write there.
 */
bool arena_writes(const struct check_prog *prog, const struct state *st);

/* The value of a register as a pointer to a lock, of kind VAL_ARENA. */
struct val arena_pointer(const struct stepper *s, const struct val *v, int off);

/*
 * @seen has flags for each instruction that takes a lock. arena_drop() releases the lock that r1
 * points to, arena_end() ends a path, and arena_kept() counts the instructions whose lock is never
 * released, or not in a known way.
 */
void arena_drop(struct state *st, __u8 *seen);
void arena_end(const struct state *st, __u8 *seen);
unsigned long arena_kept(const struct check_prog *prog, const __u8 *seen);

/* Is the lock at the pointer held? */
bool arena_held(const struct state *st, const struct val *ptr);

/*
 * Find the arena of the program that was added last, if it uses one. Call it while the program is
 * still loaded. 0 or -ENOMEM.
 */
int arena_add(struct check_set *set, int fd);

/* Count the possible locks that are not followed. */
void arena_find(const struct check_prog *prog, struct bounds *bounds);

/* "cells[1].lock", "arena+0x1040" */
void arena_text(const struct check_set *set, const struct lock *lock, char *buf, size_t size);

#endif
