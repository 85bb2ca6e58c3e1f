/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#ifndef RQSPIN_RULES_SHRINK_H
#define RQSPIN_RULES_SHRINK_H

#include "program.h"

/* Remove statements as long as @same returns true: the program still shows the same problem. */
void shrink_program(struct program *p, bool (*same)(void *arg), void *arg);

#endif
