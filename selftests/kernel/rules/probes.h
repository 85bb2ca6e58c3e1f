/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Differences between kernels, each found by loading one small program. */
#ifndef RQSPIN_RULES_PROBES_H
#define RQSPIN_RULES_PROBES_H

#include "program.h"

/* Programs that some kernels accept. */
enum probe {
	P_RES_UNDER_PLAIN,
	P_ITER_UNDER_PLAIN,
	P_ITER_IRQ_OFF,
	P_LONG_IRQ_OFF,
	P_ITER_UNDER_RES,
	P_ITER_UNDER_IRQ_LOCK,
	P_WRITE_RES,
	P_WRITE_PLAIN,
	P_RCU_AFTER_RES,
	P_RCU_AFTER_PLAIN,
	P_RCU_AFTER_IRQ_OFF,
	P_RCU_BY_IRQ_OFF,
	P_RCU_NESTED,
	P_RCU_OUTLIVES_SECTION,
	P_RCU_OUTLIVES_SECTION_IRQ_OFF,
	P_LESS_ADD_SAME,
	P_LESS_ADD_OTHER,
	P_LESS_LOCK,
	P_ONE_CALLBACK_VALUE,
	P_LOOKUP_UNDER_RES,
	P_NESTED_DROP,
	NR_PROBES,
};

struct kernel;

/* The kernel's answers: probe[i] was accepted, feature[i] exists. */
struct answers {
	bool probe[NR_PROBES], feature[NR_FEATURES];
};

extern const char *const feature_names[NR_FEATURES];

/* Load all probes, and print the conclusions as TAP comments. */
void ask_kernel(struct kernel *k, struct answers *answers);

#endif
