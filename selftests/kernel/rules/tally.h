/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Counts of verdicts, by feature and by rule. */
#ifndef RQSPIN_RULES_TALLY_H
#define RQSPIN_RULES_TALLY_H

#include "sim.h"

struct tally {
	unsigned long programs, accepted, refused, disagreed, failed, undecided, nested, not_run;
	unsigned long feature_accepted[NR_FEATURES], feature_refused[NR_FEATURES];
	unsigned long broken[NR_RULES], decisive[NR_RULES];
};

void count_verdict(struct tally *t, const struct verdict *v);
void print_tally(const struct tally *t, const struct answers *answers);

/* Both print the features or rules that are missing. */
bool features_covered(const struct tally *t, const struct answers *answers);
bool rules_covered(const struct tally *t, const struct answers *answers);

#endif
