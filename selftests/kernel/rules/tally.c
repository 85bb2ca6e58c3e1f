// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include "tally.h"

void count_verdict(struct tally *t, const struct verdict *v)
{
	unsigned long *feature = v->broken ? t->feature_refused : t->feature_accepted;
	int i;

	if (v->broken)
		t->refused++;
	else
		t->accepted++;
	t->broken[v->broken]++;
	for (i = 0; i < NR_FEATURES; i++)
		if (v->features & 1u << i)
			feature[i]++;
}

void print_tally(const struct tally *t, const struct answers *answers)
{
	int i;

	for (i = 0; i < NR_FEATURES; i++)
		if (answers->feature[i])
			printf("# %-34s %6lu accepted %6lu refused\n", feature_names[i],
			       t->feature_accepted[i], t->feature_refused[i]);
	for (i = R_NONE + 1; i < NR_RULES; i++)
		printf("# rule %-16s %5lu broken %5lu decisive  %s\n", rules[i].name, t->broken[i],
		       t->decisive[i], rules[i].text);
	printf("# %lu ran with a program attached at function entry, %lu were not run\n", t->nested,
	       t->not_run);
	printf("# %lu accepted, %lu refused, %lu disagreements, %lu undecided\n", t->accepted,
	       t->refused, t->disagreed, t->undecided);
}

/* A kernel without the hole "less() adds" accepts no program with F_LESS. */
static bool can_be_accepted(enum feature f, const struct answers *answers)
{
	return f != F_LESS || answers->probe[P_LESS_ADD_SAME] || answers->probe[P_LESS_ADD_OTHER];
}

bool features_covered(const struct tally *t, const struct answers *answers)
{
	bool ok = true;
	int i;

	for (i = 0; i < NR_FEATURES; i++) {
		bool accepted =
			t->feature_accepted[i] || !can_be_accepted((enum feature)i, answers);

		if (!answers->feature[i] || (accepted && t->feature_refused[i]))
			continue;
		printf("# never %s: %s\n", accepted ? "refused" : "accepted", feature_names[i]);
		ok = false;
	}
	return ok;
}

/* False for a rule that this kernel does not have, or that no program can break on it. */
static bool rule_applies(enum rule r, const struct answers *answers)
{
	const bool *probe = answers->probe, *feature = answers->feature;

	switch (r) {
	case R_RES_UNDER_PLAIN:
		return feature[F_PLAIN] && !probe[P_RES_UNDER_PLAIN];
	case R_ITER:
		return feature[F_ITER] && !probe[P_ITER_UNDER_PLAIN];
	case R_ROUNDS:
		return feature[F_ITER] && !probe[P_LONG_IRQ_OFF];
	case R_OOO_NOT_HELD:
	case R_OOO_IRQ:
		return feature[F_OOO];
	case R_LESS_LOCK:
		return feature[F_TREE] && !probe[P_LESS_LOCK];
	case R_LESS_ADD:
		return feature[F_LESS] && !(probe[P_LESS_ADD_SAME] && probe[P_LESS_ADD_OTHER]);
	case R_DROP:
		return feature[F_NESTED] && !probe[P_NESTED_DROP];
	case R_RCU_NESTED:
		return feature[F_RCU] && !probe[P_RCU_NESTED];
	case R_WRITE:
		return feature[F_MAP_ITER] && !(probe[P_WRITE_RES] && probe[P_WRITE_PLAIN]);
	case R_KPTR:
		return feature[F_KPTR];
	default:
		return true;
	}
}

bool rules_covered(const struct tally *t, const struct answers *answers)
{
	bool ok = true;
	int i;

	for (i = R_NONE + 1; i < NR_RULES; i++) {
		if (t->decisive[i] || !rule_applies((enum rule)i, answers))
			continue;
		printf("# never decisive: %s (%s)\n", rules[i].name, rules[i].text);
		ok = false;
	}
	return ok;
}
