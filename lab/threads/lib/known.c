// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include <math.h>
#include <stddef.h>
#include <string.h>
#ifdef __x86_64__
#include <cpuid.h>
#endif

#include "known.h"

#define AMD   "AuthenticAMD"
#define ZEN_4 AMD, 25, 0x10, 0x1f
#define ZEN_5 AMD, 26, 0x00, 0x4f
#define TAG   "0.6 cycles: the look at the tag before the release is not hidden there"
#define NESTS "0.13 of 5.7 cycles; why is not known"

/* The uncontended loops of lab-bench: the lock runs the same code there in each mode. */
static const struct lab_known table[] = {
	{ ZEN_4, "rqspinlock, nested pairs", 1.023, 0.007, NESTS },
	{ ZEN_4, "rqspinlock-hybrid, nested pairs", 1.023, 0.007, NESTS },
	{ ZEN_4, "rqspinlock-tas, nested pairs", 1.023, 0.007, NESTS },
	{ ZEN_5, "rqspinlock, one lock", 1.046, 0.015, TAG },
	{ ZEN_5, "rqspinlock-hybrid, one lock", 1.046, 0.015, TAG },
	{ ZEN_5, "rqspinlock-tas, one lock", 1.046, 0.015, TAG },
};

#ifdef __x86_64__
void lab_this_cpu(struct lab_cpu *cpu)
{
	unsigned int eax = 0, part[3] = { 0 }, unused;

	*cpu = (struct lab_cpu){ 0 };
	__get_cpuid(0, &eax, &part[0], &part[2], &part[1]);
	memcpy(cpu->vendor, part, sizeof(part));
	if (!__get_cpuid(1, &eax, &unused, &unused, &unused))
		return;
	cpu->family = eax >> 8 & 0xf;
	cpu->model = (eax >> 4 & 0xf) | (eax >> 12 & 0xf0);
	if (cpu->family == 0xf)
		cpu->family += eax >> 20 & 0xff;
}
#else
/* The table only has x86 CPUs. */
void lab_this_cpu(struct lab_cpu *cpu)
{
	*cpu = (struct lab_cpu){ 0 };
}
#endif

static bool is_of(const struct lab_known *k, const struct lab_cpu *cpu)
{
	return !strcmp(k->vendor, cpu->vendor) && k->family == cpu->family &&
	       cpu->model >= k->first && cpu->model <= k->last;
}

const struct lab_known *lab_known_next(const struct lab_cpu *cpu, const struct lab_known *last)
{
	const struct lab_known *k;

	for (k = last ? last + 1 : table; k < table + sizeof(table) / sizeof(*table); k++) {
		if (is_of(k, cpu))
			return k;
	}
	return NULL;
}

const struct lab_known *lab_known(const struct lab_cpu *cpu, const char *what)
{
	const struct lab_known *k = NULL;

	while ((k = lab_known_next(cpu, k)) && strcmp(k->what, what))
		;
	return k;
}

/* A figure just below its target in one run may be just above it in the next one. */
enum lab_verdict lab_judge(const struct lab_known *known, bool met, double got)
{
	if (!known)
		return met ? LAB_MET : LAB_MISSED;
	if (fabs(got - known->value) <= known->tolerance)
		return LAB_AS_KNOWN;
	return met ? LAB_VANISHED : LAB_OTHER_VALUE;
}
