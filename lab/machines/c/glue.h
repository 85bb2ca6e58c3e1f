/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Between the simulator's headers and the shim's, which cannot be included together. */
#ifndef SIM_C_GLUE_H
#define SIM_C_GLUE_H

#include <stddef.h>

#define C_LOCK_SIZE 128

struct lab_ops;

/** struct c_area - the CPUs' own data: CPU i has @stride bytes at @start + i * @stride */
struct c_area {
	char *start;
	size_t stride;
};

/** c_glue_reset() - Make the data of the first @cpus CPUs as new. */
void c_glue_reset(int cpus, struct c_area *area);

/** c_glue_places() - CPU i is on socket @socket[i], for locks that want to know. */
void c_glue_places(const int *socket);

void c_glue_init(const struct lab_ops *ops, void *lock);
int c_glue_lock(const struct lab_ops *ops, void *lock);
void c_glue_unlock(const struct lab_ops *ops, void *lock);

#endif
