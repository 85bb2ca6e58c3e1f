/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Conditions of a path: which comparisons held. To forget one is safe: fewer paths are excluded. */
#ifndef RQSPIN_CHECK_FACTS_H
#define RQSPIN_CHECK_FACTS_H

#include "check/path.h"

enum fact_answer { FACT_UNKNOWN, FACT_TRUE, FACT_FALSE };

bool facts_have(const struct state *st, const struct fact *fact);
void facts_add(struct state *st, __u8 op, sym_t a,
	       sym_t b); /* the oldest goes if there is no room */
void facts_meet(struct state *st, const struct state *with); /* keep what holds in both */
void facts_forget_made(const struct syms *syms, struct state *st, const struct made *made);
void facts_replace(struct syms *syms, struct state *st, sym_t from, sym_t to);
enum fact_answer facts_decide(const struct syms *syms, const struct state *st, __u8 op, sym_t a,
			      sym_t b);

/* Do facts in a row show that a is less than b, or equal? differ: they are certainly not equal. */
bool facts_rise(const struct state *st, __u8 less, sym_t a, sym_t b, bool *differ);
bool facts_contradict(const struct syms *syms, const struct state *st);

/* Compare two numbers. op: of a jump. */
bool fact_compare(__u8 op, __u64 a, __u64 b);

#endif
