/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Targets that our lock is known to miss on some CPUs: only a change of a miss is reported. */
#ifndef LAB_KNOWN_H
#define LAB_KNOWN_H

#include <stdbool.h>

#define LAB_VENDOR 13

/**
 * struct lab_cpu - the CPU of this machine, according to CPUID
 */
struct lab_cpu {
	char vendor[LAB_VENDOR];
	unsigned int family, model;
};

/**
 * struct lab_known - a target that is missed on CPUs of one kind
 * @vendor, @family: of these CPUs; @family includes the extended family
 * @first, @last: range of models
 * @what: name of the target
 * @value: the figure measured there
 * @tolerance: by how much another run may differ
 * @why: the reason, as far as it is known
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
	LAB_AS_KNOWN,	 /* within the tolerance of the known value */
	LAB_VANISHED,	 /* met, though listed as missed */
	LAB_OTHER_VALUE, /* missed by more or less than is listed */
};

void lab_this_cpu(struct lab_cpu *cpu);

/** lab_known() - The known miss of a target on a CPU, or NULL. */
const struct lab_known *lab_known(const struct lab_cpu *cpu, const char *what);

/** lab_known_next() - Iterate over the known misses of a CPU: the one after @last, or NULL. */
const struct lab_known *lab_known_next(const struct lab_cpu *cpu, const struct lab_known *last);

/** lab_judge() - Compare a figure, which has @met its target or not, with the known miss. */
enum lab_verdict lab_judge(const struct lab_known *known, bool met, double got);

#endif /* LAB_KNOWN_H */
