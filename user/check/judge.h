/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Turns the record of what programs do into findings. */
#ifndef RQSPIN_CHECK_JUDGE_H
#define RQSPIN_CHECK_JUDGE_H

#include "check/findings.h"
#include "check/progs.h"
#include "check/record.h"
#include "check/refused.h"

struct cycles;

void judge_cycles(const struct check_set *set, const struct cycles *cycles, struct findings *f);
void judge_acts(const struct check_set *set, const struct record *record, struct findings *f);
void judge_sizes(const struct check_set *set, struct findings *f);
void judge_assumed(const struct check_set *set, struct findings *f);
void judge_refusals(const struct refusals *refusals, struct findings *f);

/* Add two stages: the lock that is held, and the one that is taken then. */
void judge_edge(const struct check_set *set, struct findings *f, struct finding *one,
		const struct edge *e);

/* Report pairs of locks that cannot be decided, because of keys, objects or pointers. */
void judge_unknown(const struct check_set *set, const struct record *record, struct findings *f);

#endif
