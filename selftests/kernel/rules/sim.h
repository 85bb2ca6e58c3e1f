/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The rules, without a verifier's optimizations: every path is followed, the critical sections are
 * a stack from which any lock may be removed, and the content of each variable is tracked.
 */
#ifndef RQSPIN_RULES_SIM_H
#define RQSPIN_RULES_SIM_H

#include "probes.h"
#include "program.h"

enum rule {
	R_NONE, /* the program keeps all rules */
	R_HELD,
	R_LOCK_KIND,
	R_RES_UNDER_PLAIN,
	R_NOT_LAST,
	R_OOO_NOT_HELD,
	R_OOO_IRQ,
	R_FLAG_EMPTY,
	R_FLAG_OTHER,
	R_CALL,
	R_SLEEP,
	R_ITER,
	R_ROUNDS,
	R_END_SECTION,
	R_END_ITER,
	R_END_RCU,
	R_LEAK,
	R_DROP,
	R_OWNED,
	R_NOT_OWNED,
	R_USABLE,
	R_LINK,
	R_ROOT,
	R_ROOT_LOCK,
	R_LESS_VARIABLE,
	R_LESS_LOCK,
	R_LESS_ADD,
	R_RCU_NESTED,
	R_RCU_UNLOCK,
	R_KPTR,
	R_WRITE,
	NR_RULES,
	R_NO_VERDICT = NR_RULES, /* too many states, or no memory */
};

struct rule_info {
	const char *name, *text;
};

extern const struct rule_info rules[NR_RULES + 1];

struct verdict {
	enum rule broken;      /* the first broken rule */
	unsigned int features; /* features used on the paths that were followed, as a mask */
	bool risky;	       /* accepted through a hole: not to be run */
	bool plain;	       /* takes a plain lock */
};

/* Apply all rules but @ignored (R_NONE: all rules). */
struct verdict sim_program(const struct program *p, const struct answers *answers,
			   enum rule ignored);

/* The rule of that name, 0 if there is none. */
enum rule find_rule(const char *name);

#endif
