/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Lock words of maps and the kernel's table of held locks, read by programs. */
#ifndef RQSPIN_RUNNER_LOCKS_H
#define RQSPIN_RUNNER_LOCKS_H

#include <stdbool.h>

struct bpf_object;

/* Offset of a per-CPU variable of the kernel, -1 if its BTF has none of that name. */
long percpu_offset(const char *name);

/* Is there a table of held locks? Bytes from a CPU's runqueues to it: progs/held_table.h. */
bool kernel_has_held_table(void);
long held_table_delta(void);

/* Locks of @obj's maps that are taken at this moment. */
int locks_taken(const struct bpf_object *obj);

/* Every lock of every map of @obj must be free now, and this CPU's held table empty. */
void check_locks_free(const struct bpf_object *obj);

#endif
