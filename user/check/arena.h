/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Locks in an arena, which are plain instructions: that they are there. */
#ifndef RQSPIN_CHECK_ARENA_H
#define RQSPIN_CHECK_ARENA_H

#include "check/bounds.h"
#include "check/progs.h"

/* Calls by the names of functions, else exchanges of words in an arena, are counted. */
void arena_find(const struct check_prog *prog, struct bounds *bounds);

#endif
