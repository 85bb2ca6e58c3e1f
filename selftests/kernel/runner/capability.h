/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Differences between kernels, found by loading a program. */
#ifndef RQSPIN_RUNNER_CAPABILITY_H
#define RQSPIN_RUNNER_CAPABILITY_H

#include <stdbool.h>

/* Does this kernel accept the program @name of progs/capabilities.bpf.c? */
bool kernel_can(const char *name);

#endif
