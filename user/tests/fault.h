/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Allocations that fail when a test wants them to. */
#ifndef RQSPIN_TESTS_FAULT_H
#define RQSPIN_TESTS_FAULT_H

#include <stdbool.h>

/* That one fails, counted from now on: 1 is the next. All others have their memory. */
void fault_at(unsigned long nr);

/* Allocate as usual again. Has one failed? */
bool fault_end(void);

#endif
