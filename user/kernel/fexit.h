/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Functions of this kernel whose return can be traced. */
#ifndef RQSPIN_KERNEL_FEXIT_H
#define RQSPIN_KERNEL_FEXIT_H

#include <stdbool.h>

/*
 * Does this kernel load a fexit program for its function? It refuses some that are in its BTF, and
 * libbpf loads either all programs of an object or none.
 */
bool fexit_loads(const char *function);

#endif
