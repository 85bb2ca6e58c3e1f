/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* In which context a program runs, as far as its type, its section and its hook tell. */
#ifndef RQSPIN_CHECK_WHERE_H
#define RQSPIN_CHECK_WHERE_H

#include "check/record.h"

/* A later level interrupts an earlier one. */
enum level { LEVEL_TASK, LEVEL_SOFTIRQ, LEVEL_HARDIRQ, LEVEL_NMI };

/*
 * Which programs the kernel does not run on a CPU while one runs there: none, itself, or all of its
 * kind.
 */
enum guard { GUARD_NONE, GUARD_OWN, GUARD_ALL };

/**
 * struct where - where an acquisition may happen
 * @min: the lowest level, @max: the highest
 * @irqs_off: the hook's code has interrupts off
 */
struct where {
	enum level min, max;
	bool irqs_off;
	enum guard guard;
};

struct where where_of(const struct check_set *set, const struct site *site);

/* Does the kernel never run the two on one CPU at the same time? */
bool where_excluded(const struct where *in, const struct where *out, const struct site *inner,
		    const struct site *outer);

/* Its SEC(), without the "?" of one that is not loaded by itself; or "". */
const char *where_section(const struct check_prog *p);

/* What the program is attached to, as far as the kernel or its section says so, or "". */
const char *where_hook(const struct check_prog *p);

/* "a task" */
const char *where_text(enum level level);

#endif
