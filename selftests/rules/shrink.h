/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#ifndef RQSPIN_RULES_SHRINK_H
#define RQSPIN_RULES_SHRINK_H

#include "program.h"

/* Remove from the program what it can do without: @same says whether it still shows the same. */
void shrink(struct program *p, bool (*same)(void *arg), void *arg);

#endif
