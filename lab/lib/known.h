/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Targets that our lock is known to miss on some CPUs: only what changes is news. */
#ifndef LAB_KNOWN_H
#define LAB_KNOWN_H

#include <stdbool.h>

#define LAB_VENDOR 13

/**
 * struct lab_cpu - which CPU this is, as CPUID tells
 */
struct lab_cpu {
	char vendor[LAB_VENDOR];
	unsigned int family, model;
};

/**
 * struct lab_known - a target that is missed on CPUs of one kind
 * @vendor, @family: their kind; the extended family is added
 * @first, @last: models
 * @what: name of the target
 * @value: what was measured there
 * @tolerance: by how much another run may differ
 * @why: what is known of the reason
 */
struct lab_known {
	const char *vendor;
	unsigned int family, first, last;
	const char *what;
	double value, tolerance;
	const char *why;
};

enum lab_verdict {
	LAB_MET,
	LAB_MISSED,
	LAB_AS_KNOWN,	 /* a known miss that is what it was */
	LAB_VANISHED,	 /* met, though listed as missed */
	LAB_OTHER_VALUE, /* missed by more or less than is listed */
};

void lab_this_cpu(struct lab_cpu *cpu);

/** lab_known() - What is known of a target on a CPU, or NULL. */
const struct lab_known *lab_known(const struct lab_cpu *cpu, const char *what);

/** lab_known_next() - All that is known of a CPU: the first one after @last, or NULL. */
const struct lab_known *lab_known_next(const struct lab_cpu *cpu, const struct lab_known *last);

/** lab_judge() - A figure beside its target, @met or not, and beside what is known of it. */
enum lab_verdict lab_judge(const struct lab_known *known, bool met, double got);

#endif /* LAB_KNOWN_H */
