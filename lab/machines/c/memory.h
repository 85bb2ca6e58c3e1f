/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#ifndef SIM_C_MEMORY_H
#define SIM_C_MEMORY_H

#include "locks/lock.h"

/**
 * struct c_word - an object of up to 8 bytes that the locks' C accesses
 * @var:   the aligned word around it
 * @mask:  its bits of that word, from @shift on
 * @line:  its line, NULL: no other CPU can know of it (stack, constants, settings)
 * @own:   in the data of the CPU that runs
 * @alone: the word, where there is no line
 */
struct c_word {
	struct sim_var *var;
	uint64_t mask;
	int shift;
	struct sim_line *line;
	bool own;
	struct sim_var alone;
};

/** c_word_find() - The word of @size bytes at @at; it must not be copied. */
void c_word_find(struct c_word *w, const volatile void *at, int size);

/** c_memory_of() - The memory of a lock of the running simulation. */
void *c_memory_of(const struct sim_lock *l);

/** c_memory_get() - Prepare memory for @l; all locks of a simulation have to be in C. */
void c_memory_get(struct sim_lock *l);
void c_memory_put(struct sim_lock *l);

/* Before a simulation: access.c and context.c forget the last one. */
void c_access_reset(void);
void c_context_reset(void);

#endif
